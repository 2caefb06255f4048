import { type Kysely, sql } from 'kysely';
import { foldText } from '../../lib/fold-text.ts';
import type { DatabaseKind } from '../handle.ts';

const added = ['folded_username', 'folded_full_name', 'folded_apps'];
/** The columns that the search compares. The service writes them case-folded; the key of an e-mail address already is. */
const searched = ['folded_username', 'folded_full_name', 'email_key', 'folded_apps'];
const PORTION = 1000;

const values = (row: string): string => searched.map((column) => `${row}.${column}`).join(', ');
const differs = (operator: string): string =>
  searched.map((column) => `old.${column} ${operator} new.${column}`).join(' or ');
const text = (row: string): string => searched.map((column) => `coalesce(${row}.${column}, '')`).join(` || E'\\n' || `);

const triggers = ['user_search_insert', 'user_search_update'];
const removal = {
  sqlite: [...triggers, 'user_search_delete'].map((name) => `drop trigger ${name}`).concat('drop table user_search'),
  postgres: [
    ...triggers.map((name) => `drop trigger ${name} on users`),
    'drop index user_search_by_trigram',
    'delete from user_search',
  ],
};

const renewal = {
  sqlite: [
    `create virtual table user_search using fts5(${searched.join(', ')},
      content = 'users', content_rowid = 'id', tokenize = 'trigram case_sensitive 1', detail = none)`,
    `create trigger user_search_insert after insert on users begin
      insert into user_search (rowid, ${searched.join(', ')}) values (new.id, ${values('new')}); end`,
    `create trigger user_search_delete after delete on users begin
      insert into user_search (user_search, rowid, ${searched.join(', ')}) values ('delete', old.id, ${values('old')}); end`,
    `create trigger user_search_update after update on users when ${differs('is not')} begin
      insert into user_search (user_search, rowid, ${searched.join(', ')}) values ('delete', old.id, ${values('old')});
      insert into user_search (rowid, ${searched.join(', ')}) values (new.id, ${values('new')}); end`,
    `insert into user_search (user_search) values ('rebuild')`,
  ],
  postgres: [
    `create or replace function authsvc_index_user() returns trigger language plpgsql as $$
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
  ],
};

interface Found {
  id: number;
  username: string;
  full_name: string;
  allowed_apps: string;
}

async function foldUsers(db: Kysely<unknown>): Promise<void> {
  let last = 0;
  for (;;) {
    const { rows } = await sql<Found>`
      select id, username, full_name, allowed_apps from users where id > ${last} order by id limit ${sql.lit(PORTION)}`.execute(
      db,
    );
    if (rows.length === 0) return;
    const folded = rows.map(
      ({ id, username, full_name, allowed_apps }) =>
        sql`(cast(${id} as bigint), ${foldText(username)}, ${foldText(full_name)}, ${foldText(allowed_apps)})`,
    );
    await sql`
      with folded (id, username, full_name, apps) as (values ${sql.join(folded)})
      update users set folded_username = folded.username, folded_full_name = folded.full_name, folded_apps = folded.apps
      from folded where users.id = folded.id`.execute(db);
    last = Number(rows.at(-1)?.id);
  }
}

/** Stores the searched texts case-folded by the service, because the two databases fold letters differently. */
export const foldedSearch = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    for (const column of added) {
      await sql.raw(`alter table users add column ${column} text not null default ''`).execute(db);
    }
    for (const statement of removal[kind]) await sql.raw(statement).execute(db);
    await foldUsers(db);
    for (const statement of renewal[kind]) await sql.raw(statement).execute(db);
  },
});
