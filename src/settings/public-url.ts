import type { Settings } from './table.ts';

/** Returns the public address of the service, without a final slash. */
export const publicUrl = ({ BASE_URL, PORT }: Pick<Settings, 'BASE_URL' | 'PORT'>): string =>
  BASE_URL ?? `http://localhost:${PORT}`;
