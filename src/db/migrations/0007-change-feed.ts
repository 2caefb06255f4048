import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

/** Rows that one transaction names; beyond them it says that much has changed. */
const MAX_NAMED = 100;

/** An old row that is over needs no word: whoever keeps it knows its end. A minute is left for clocks that differ. */
const counts = 'old.expires_at is null or old.expires_at > extract(epoch from clock_timestamp()) * 1000 - 60000';

/** The columns whose change matters to what processes keep: by table, those of their hot lookups. */
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
 * Lets PostgreSQL tell by NOTIFY authsvc_changes which rows are not what they were, whoever changes them.
 *
 * Why     new rows are not told: nobody keeps that something is not there. A sign-in or the use of a token touches
 *         none of the watched columns, and costs a comparison.
 */
export const changeFeed = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    if (kind === 'sqlite') return;
    for (const text of [functions, ...triggers]) await sql.raw(text).execute(db);
  },
});
