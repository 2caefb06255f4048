import type { Reader } from './reader.ts';
import { SettingsError } from './settings-error.ts';

/** Throws a SettingsError that lists every invalid setting, if there is any. */
export function refuseComplaints({ complaints }: Reader): void {
  if (complaints.size === 0) return;
  const list = [...complaints.values()].join('\n');
  throw new SettingsError(`These settings cannot be used:\n${list}`, [...complaints.keys()]);
}
