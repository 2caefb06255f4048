import type { Settings } from './table.ts';

/** The name of the application for the check of who may use it, and for people. */
export type ApplicationName = Pick<Settings, 'APP_NAME' | 'BRAND_NAME'>;

/** The name that people read. */
export const shownName = ({ APP_NAME, BRAND_NAME }: ApplicationName): string => BRAND_NAME ?? APP_NAME;
