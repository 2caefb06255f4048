import type { Settings } from './table.ts';

/** What the application is called where it is asked who may use it, and where people read of it. */
export type ApplicationName = Pick<Settings, 'APP_NAME' | 'BRAND_NAME'>;

/** The name that people read. */
export const shownName = ({ APP_NAME, BRAND_NAME }: ApplicationName): string => BRAND_NAME ?? APP_NAME;
