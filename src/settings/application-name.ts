import type { Settings } from './table.ts';

/**
 * The two names of this application: `APP_NAME` decides which users may use it, and `BRAND_NAME` is shown to people.
 */
export type ApplicationName = Pick<Settings, 'APP_NAME' | 'BRAND_NAME'>;

/** Returns the name that people see on pages and in mails. */
export const shownName = ({ APP_NAME, BRAND_NAME }: ApplicationName): string => BRAND_NAME ?? APP_NAME;
