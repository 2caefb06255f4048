import type { Settings } from './table.ts';

/** The public address of the service, without a final slash, for commands. */
export const publicUrl = ({ BASE_URL, PORT }: Pick<Settings, 'BASE_URL' | 'PORT'>): string =>
  BASE_URL ?? `http://localhost:${PORT}`;
