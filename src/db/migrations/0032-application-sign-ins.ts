import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

const DAY = 'at / 86400000';
/** Condition for a sign-in: an application got a code or a device login. A consent does not count: it gives no access by itself. */
const isSignIn = {
  sqlite: (row: string) =>
    `${row}event = 'grant.changed' and ${row}application is not null
      and json_extract(${row}details, '$.change') = 'given' and json_extract(${row}details, '$.fields[0]') <> 'consent'`,
  postgres: (row: string) =>
    `${row}event = 'grant.changed' and ${row}application is not null
      and ${row}details::json ->> 'change' = 'given' and ${row}details::json -> 'fields' ->> 0 <> 'consent'`,
};

const name = (row: string): string => `'sign_ins ' || (${row}${DAY}) || ' ' || ${row}application`;

const statements = {
  sqlite: [
    `insert into row_counts (name, count) select ${name('')}, count(*) from audit_events
      where ${isSignIn.sqlite('')} group by ${name('')}`,
    `create trigger count_application_sign_in after insert on audit_events when ${isSignIn.sqlite('new.')} begin
      insert into row_counts (name, count) select ${name('new.')}, 0
        where not exists (select 1 from row_counts where name = ${name('new.')});
      update row_counts set count = count + 1 where name = ${name('new.')}; end`,
  ],
  postgres: [
    `insert into row_counts (name, count) select ${name('')}, count(*) from audit_events
      where ${isSignIn.postgres('')} group by ${name('')}`,
    `create function authsvc_count_application_sign_in() returns trigger language plpgsql as $$
      begin
        execute format('insert into %I.row_counts (name, count) values ($1, 1)', tg_table_schema) using ${name('new.')};
        return null;
      end $$`,
    `create trigger count_application_sign_in after insert on audit_events for each row
      when (${isSignIn.postgres('new.')}) execute function authsvc_count_application_sign_in()`,
  ],
};

/** Adds triggers that count, for each application of OpenID Connect, the sign-ins of each day. */
export const applicationSignIns = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements[kind]) await sql.raw(statement).execute(db);
  },
});
