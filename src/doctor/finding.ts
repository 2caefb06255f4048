/** The names of the checks, in the order of the report. */
export const checkNames = [
  'node',
  'settings',
  'secrets',
  'data-folder',
  'disk',
  'database',
  'migrations',
  'change-feed',
  'clock',
  'superadmin',
  'base-url',
  'proxy',
  'cookies',
  'providers',
  'mail',
  'webhooks',
] as const;

export type CheckName = (typeof checkNames)[number];

/** What a check found. */
export interface Finding {
  /** `skipped`: there is nothing to check, or what the check needs failed. */
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  message: string;
  /** What to do about it; empty: nothing. */
  hint: string;
}

export const fine = (message: string): Finding => ({ status: 'ok', message, hint: '' });
export const warning = (message: string, hint: string): Finding => ({ status: 'warning', message, hint });
export const failure = (message: string, hint: string): Finding => ({ status: 'failed', message, hint });
export const skipped = (message: string): Finding => ({ status: 'skipped', message, hint: '' });
