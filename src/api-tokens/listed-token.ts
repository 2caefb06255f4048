import { isoOrNull } from '../lib/instant.ts';
import { parseList } from '../users/user.ts';

/** A token as superadmins see it in lists and on the command line. */
export interface ListedToken {
  id: number;
  name: string;
  token_prefix: string;
  scope: string;
  allowed_apps: string[];
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  /** Id of the token that approved this token in a device login. When the approving token ends, this token ends too. */
  parent_id: number | null;
}

interface ListedRow {
  id: number;
  name: string;
  prefix: string;
  scope: string;
  token_apps: string | null;
  user_apps: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  parent_id: number | null;
}

/** Converts a row. `allowed_apps` is the token's own list, or its user's list if the token is valid for all of them. */
export function toListed(row: ListedRow): ListedToken {
  return {
    id: row.id,
    name: row.name,
    token_prefix: row.prefix,
    scope: row.scope,
    allowed_apps: parseList(row.token_apps ?? row.user_apps),
    created_at: new Date(row.created_at).toISOString(),
    last_used_at: isoOrNull(row.last_used_at),
    expires_at: isoOrNull(row.expires_at),
    parent_id: row.parent_id,
  };
}
