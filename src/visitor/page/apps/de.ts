import type { en } from './en.ts';

/** German texts of the page that lists the person's applications. */
export const de: typeof en = {
  title: 'Anwendungen',
  lede: 'Die Anwendungen, die Sie nutzen dürfen.',
  none: 'Für Sie gibt es noch keine Anwendung. Bitten Sie die Administration um Zugang.',
  account: 'Zu Ihrem Konto',
};
