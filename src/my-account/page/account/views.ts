import type { AccountView } from './page.ts';

/** The pages in the order of the navigation. */
export const accountViews = [
  'overview',
  'password',
  'two-step',
  'passkeys',
  'sessions',
  'connections',
  'tokens',
  'grants',
  'activity',
] as const satisfies readonly AccountView['view'][];
