import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

/** A transaction names at most this many changed rows. Then one last notification says that any row may have changed. */
const MAX_NAMED = 100;

/**
 * Condition for a notification about a deleted row. A row that has expired needs none, because cached copies contain the
 * expiry. The extra minute allows for clocks that differ.
 */
const counts = 'old.expires_at is null or old.expires_at > extract(epoch from clock_timestamp()) * 1000 - 60000';

/** The columns that processes cache, by table, and the condition for notifications about deleted rows. */
const watched = {
  sessions: { columns: ['id', 'user_id', 'created_at', 'expires_at'], deleted: counts },
  users: {
    columns: ['id', 'username', 'full_name', 'role', 'allowed_apps', 'image', 'deactivated_at'],
    deleted: 'true',
  },
  api_tokens: {
    columns: ['id', 'user_id', 'token_hash', 'scope', 'allowed_apps', 'expires_at'],
    deleted: counts,
  },
};

const list = (row: string, columns: readonly string[]): string =>
  `(${columns.map((column) => `${row}.${column}`).join(', ')})`;

const functions = `
create function authsvc_tell_change() returns trigger language plpgsql as $$
declare
  told integer := coalesce(nullif(pg_catalog.current_setting('authsvc.told', true), ''), '0')::integer;
begin
  if told > ${MAX_NAMED} then return null; end if;
  perform pg_catalog.set_config('authsvc.told', (told + 1)::text, true);
  if told < ${MAX_NAMED} then
    perform pg_catalog.pg_notify('authsvc_changes', tg_table_name || ' ' || pg_catalog.left(old.id::text, 100));
  else
    perform pg_catalog.pg_notify('authsvc_changes', '*');
  end if;
  return null;
end $$;
create function authsvc_tell_all() returns trigger language plpgsql as $$
begin
  perform pg_catalog.pg_notify('authsvc_changes', '*');
  return null;
end $$;`;

const triggers = Object.entries(watched).map(
  ([table, { columns, deleted }]) => `
create trigger authsvc_tell_update after update on ${table} for each row
  when (${list('old', columns)} is distinct from ${list('new', columns)}) execute function authsvc_tell_change();
create trigger authsvc_tell_delete after delete on ${table} for each row
  when (${deleted}) execute function authsvc_tell_change();
create trigger authsvc_tell_truncate after truncate on ${table} execute function authsvc_tell_all();`,
);

/**
 * Makes PostgreSQL report changed rows by NOTIFY authsvc_changes, whichever program changes them.
 *
 * New rows send no notification, because "not found" is never cached. A sign-in or the use of a token changes none of the
 * watched columns, so it costs only one comparison.
 */
export const changeFeed = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    if (kind === 'sqlite') return;
    for (const text of [functions, ...triggers]) await sql.raw(text).execute(db);
  },
});
