import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

/** The columns in which the search looks for text. */
const searched = ['username_key', 'full_name', 'email', 'allowed_apps'];
const values = (row: string): string => searched.map((column) => `${row}.${column}`).join(', ');
const differs = (operator: string): string =>
  searched.map((column) => `old.${column} ${operator} new.${column}`).join(' or ');

/** The full-text index has an entry for each sequence of three characters. It reads the texts from `users`. */
const sqliteSearch = [
  `create virtual table user_search using fts5(${searched.join(', ')},
    content = 'users', content_rowid = 'id', tokenize = 'trigram', detail = none)`,
  `create trigger user_search_insert after insert on users begin
    insert into user_search (rowid, ${searched.join(', ')}) values (new.id, ${values('new')}); end`,
  `create trigger user_search_delete after delete on users begin
    insert into user_search (user_search, rowid, ${searched.join(', ')}) values ('delete', old.id, ${values('old')}); end`,
  `create trigger user_search_update after update on users when ${differs('is not')} begin
    insert into user_search (user_search, rowid, ${searched.join(', ')}) values ('delete', old.id, ${values('old')});
    insert into user_search (rowid, ${searched.join(', ')}) values (new.id, ${values('new')}); end`,
  `insert into user_search (user_search) values ('rebuild')`,
];

const text = (row: string): string =>
  `${row}.username_key || E'\\n' || lower(${row}.full_name) || E'\\n' || coalesce(lower(${row}.email), '') || E'\\n'
    || lower(${row}.allowed_apps)`;

/**
 * The search has its own table. Each sign-in writes a new version of the row in `users`, and PostgreSQL would then index its
 * texts again. The function makes the index independent of extensions and of the database's locale.
 */
const postgresSearch = [
  `create function authsvc_trigrams(searched text) returns text[] language sql immutable strict parallel safe as $$
    select coalesce(array_agg(distinct substr(searched, at, 3)), '{}') from generate_series(1, length(searched) - 2) as at $$`,
  `create table user_search (user_id bigint primary key references users (id) on delete cascade, text text not null)`,
  `create function authsvc_index_user() returns trigger language plpgsql as $$
    begin
      execute format('insert into %I.user_search (user_id, text) values ($1, $2)
        on conflict (user_id) do update set text = excluded.text', tg_table_schema) using new.id, ${text('new')};
      return null;
    end $$`,
  `insert into user_search (user_id, text) select id, ${text('users')} from users`,
  'create index user_search_by_trigram on user_search using gin (authsvc_trigrams(text))',
  `create trigger user_search_insert after insert on users for each row execute function authsvc_index_user()`,
  `create trigger user_search_update after update on users for each row
    when (${differs('is distinct from')}) execute function authsvc_index_user()`,
];

const day = (row: string): string => `${row}at / 86400000`;
const startCounts = [
  `insert into row_counts (name, count) select 'users', count(*) from users`,
  `insert into row_counts (name, count) select 'inactive_users', count(*) from users where deactivated_at is not null`,
  `insert into row_counts (name, count) select 'sessions', count(*) from sessions`,
  `insert into row_counts (name, count) select 'sign_ins ' || (${day('')}), count(*) from audit_events
    where event = 'user.signed_in' group by ${day('')}`,
];

const add = (name: string, number: string): string =>
  `update row_counts set count = count + (${number}) where name = '${name}';`;
const sqliteCounts = [
  'create table row_counts (name text primary key not null, count integer not null)',
  ...startCounts,
  `create trigger count_user_insert after insert on users begin
    ${add('users', '1')} ${add('inactive_users', 'new.deactivated_at is not null')} end`,
  `create trigger count_user_delete after delete on users begin
    ${add('users', '-1')} ${add('inactive_users', '-(old.deactivated_at is not null)')} end`,
  `create trigger count_user_update after update on users
    when (old.deactivated_at is null) <> (new.deactivated_at is null) begin
    ${add('inactive_users', '(new.deactivated_at is not null) - (old.deactivated_at is not null)')} end`,
  `create trigger count_session_insert after insert on sessions begin ${add('sessions', '1')} end`,
  `create trigger count_session_delete after delete on sessions begin ${add('sessions', '-1')} end`,
  `create trigger count_sign_in after insert on audit_events when new.event = 'user.signed_in' begin
    insert into row_counts (name, count) select 'sign_ins ' || (${day('new.')}), 0
      where not exists (select 1 from row_counts where name = 'sign_ins ' || (${day('new.')}));
    update row_counts set count = count + 1 where name = 'sign_ins ' || (${day('new.')}); end`,
];

/** Each change inserts a row, so that transactions never wait for a common counter. A cleaner adds the rows up later. */
const postgresCounts = [
  'create table row_counts (name text not null, count bigint not null)',
  ...startCounts,
  `create function authsvc_count_rows() returns trigger language plpgsql as $$
    begin
      if tg_op = 'TRUNCATE' then
        execute format('delete from %I.row_counts where name in ($1, ''inactive_'' || $1)', tg_table_schema)
          using tg_table_name;
      else
        execute format('insert into %I.row_counts (name, count) select $1, $2 * count(*) from changed having count(*) > 0',
          tg_table_schema) using tg_table_name, case tg_op when 'INSERT' then 1 else -1 end;
      end if;
      if tg_table_name = 'users' and tg_op <> 'TRUNCATE' then
        execute format('insert into %I.row_counts (name, count) select ''inactive_users'', $1 * count(*) from changed
          where deactivated_at is not null having count(*) > 0', tg_table_schema)
          using case tg_op when 'INSERT' then 1 else -1 end;
      end if;
      return null;
    end $$`,
  `create function authsvc_count_inactive() returns trigger language plpgsql as $$
    begin
      execute format('insert into %I.row_counts (name, count) values (''inactive_users'', $1)', tg_table_schema)
        using case when new.deactivated_at is null then -1 else 1 end;
      return null;
    end $$`,
  `create function authsvc_count_sign_ins() returns trigger language plpgsql as $$
    begin
      execute format('insert into %I.row_counts (name, count) select ''sign_ins '' || (${day('')}), count(*) from added
        where event = ''user.signed_in'' group by ${day('')}', tg_table_schema);
      return null;
    end $$`,
  ...['users', 'sessions'].flatMap((table) => [
    `create trigger count_insert after insert on ${table} referencing new table as changed
      for each statement execute function authsvc_count_rows()`,
    `create trigger count_delete after delete on ${table} referencing old table as changed
      for each statement execute function authsvc_count_rows()`,
    `create trigger count_truncate after truncate on ${table} for each statement execute function authsvc_count_rows()`,
  ]),
  `create trigger count_update after update on users for each row
    when ((old.deactivated_at is null) <> (new.deactivated_at is null)) execute function authsvc_count_inactive()`,
  `create trigger count_sign_ins after insert on audit_events referencing new table as added
    for each statement execute function authsvc_count_sign_ins()`,
];

/** Lists of sessions are sorted by time and then by `ref`. The indexes on users are for values that few users have. */
const indexes = [
  'drop index sessions_by_creation',
  'drop index sessions_by_address',
  'create index sessions_by_creation on sessions (created_at, ref)',
  'create index sessions_by_address on sessions (address, created_at, ref)',
  'create index sessions_by_method on sessions (method, created_at, ref)',
  'create index users_by_role on users (role, id)',
  'create index users_inactive on users (id) where deactivated_at is not null',
];

const statements = {
  sqlite: [...sqliteSearch, ...sqliteCounts, ...indexes],
  postgres: [...postgresSearch, ...postgresCounts, ...indexes],
};

/**
 * Keeps the pages of superadmins fast with millions of rows: adds an index for parts of names, and counts of rows. Triggers
 * keep both up to date, whichever program writes.
 */
export const consoleAtScale = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements[kind]) await sql.raw(statement).execute(db);
  },
});
