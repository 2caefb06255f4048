import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

const hasFactor = (user: string): string =>
  `case when exists (select 1 from totp_factors where user_id = ${user}) then 1 else 0 end`;

const sqliteTriggers = (['insert', 'delete'] as const).map((verb) => {
  const user = verb === 'insert' ? 'new.user_id' : 'old.user_id';
  return `create trigger user_factor_${verb} after ${verb} on totp_factors begin
    update users set has_factor = ${hasFactor(user)} where id = ${user}; end`;
});

const postgresTriggers = [
  `create function authsvc_mark_factor() returns trigger language plpgsql as $$
    declare
      user_id bigint := case tg_op when 'INSERT' then new.user_id else old.user_id end;
    begin
      execute format('update %1$I.users set has_factor =
        case when exists (select 1 from %1$I.totp_factors where user_id = $1) then 1 else 0 end where id = $1', tg_table_schema)
        using user_id;
      return null;
    end $$`,
  ...['insert', 'delete'].map(
    (verb) => `create trigger user_factor_${verb} after ${verb} on totp_factors for each row
      execute function authsvc_mark_factor()`,
  ),
];

/** Adds indexes with which lists of users find the few users with a rare value: second factor or deactivation. */
export const userFacets = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [
      'alter table users add column has_factor integer not null default 0',
      'update users set has_factor = 1 where id in (select user_id from totp_factors)',
      'create index users_by_factor on users (has_factor, id)',
      'drop index users_inactive',
      'create index users_by_deactivation on users (deactivated_at, id)',
      ...(kind === 'sqlite' ? sqliteTriggers : postgresTriggers),
    ])
      await sql.raw(statement).execute(db);
  },
});
