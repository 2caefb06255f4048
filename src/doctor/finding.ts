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

/** The result of one check. */
export interface Finding {
  /** `skipped`: there is nothing to check, or a check that this one depends on has failed. */
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  message: string;
  /** What the operator can do about it; empty if there is nothing to do. */
  hint: string;
}

export const fine = (message: string): Finding => ({ status: 'ok', message, hint: '' });
export const warning = (message: string, hint: string): Finding => ({ status: 'warning', message, hint });
export const failure = (message: string, hint: string): Finding => ({ status: 'failed', message, hint });
export const skipped = (message: string): Finding => ({ status: 'skipped', message, hint: '' });
