import { isoOrNull } from '../lib/instant.ts';
/** A passkey as the API lists it. */
export interface PasskeyJson {
  ref: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
  backed_up: boolean;
}

interface PasskeyRow {
  ref: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
  backed_up: number;
}

export const toPasskeyJson = (row: PasskeyRow): PasskeyJson => ({
  ref: row.ref,
  name: row.name,
  created_at: new Date(row.created_at).toISOString(),
  last_used_at: isoOrNull(row.last_used_at),
  backed_up: row.backed_up === 1,
});
