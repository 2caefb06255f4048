import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

/** SQL for a random UUID version 4. */
const newUuid = {
  sqlite: `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
    || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`,
  postgres: 'gen_random_uuid()::text',
};

/** SQL that gives each new user a `sub`. On SQLite it is a trigger, because a new column cannot have a random default. */
const givesSub = {
  sqlite: `create trigger users_get_sub after insert on users when new.sub is null
    begin update users set sub = ${newUuid.sqlite} where id = new.id; end`,
  postgres: `alter table users alter column sub set default ${newUuid.postgres}, alter column sub set not null`,
};

const changeFeed = `
create trigger authsvc_tell_update after update on oidc_grants for each row
  when ((old.session_id, old.expires_at) is distinct from (new.session_id, new.expires_at))
  execute function authsvc_tell_change();
create trigger authsvc_tell_delete after delete on oidc_grants for each row execute function authsvc_tell_change();
create trigger authsvc_tell_truncate after truncate on oidc_grants execute function authsvc_tell_all();
create function authsvc_tell_keys() returns trigger language plpgsql as $$
begin
  perform pg_catalog.pg_notify('authsvc_changes', 'oidc_keys *');
  return null;
end $$;
create trigger authsvc_tell_keys after insert or update or delete or truncate on oidc_keys execute function authsvc_tell_keys();`;

async function addColumns(kind: DatabaseKind, db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('users').addColumn('sub', 'text').execute();
  await sql.raw(`update users set sub = ${newUuid[kind]}`).execute(db);
  await db.schema
    .alterTable('users')
    .addColumn('updated_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql.raw('update users set updated_at = created_at').execute(db);
  await sql.raw(givesSub[kind]).execute(db);
  const flag = (name: string, value: number) =>
    db.schema
      .alterTable('applications')
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(value))
      .execute();
  await flag('device_flow', 0);
  await flag('pkce_required', 1);
  await db.schema
    .alterTable('applications')
    .addColumn('id_token_alg', 'text', (column) => column.notNull().defaultTo('RS256'))
    .execute();
  await db.schema
    .alterTable('outbox')
    .addColumn('application_id', 'bigint', (column) => column.references('applications.id').onDelete('cascade'))
    .execute();
  await db.schema.createIndex('outbox_of_application').on('outbox').column('application_id').execute();
}

async function addGrants(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('oidc_grants')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('application_id', 'bigint', (column) =>
      column.notNull().references('applications.id').onDelete('cascade'),
    )
    .addColumn('session_id', 'text', (column) =>
      column.references('sessions.id').onUpdate('cascade').onDelete('set null'),
    )
    .addColumn('sid', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('resource', 'text')
    .addColumn('nonce', 'text')
    .addColumn('authenticated_at', 'bigint', (column) => column.notNull())
    .addColumn('amr', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('oidc_grants_of_user').on('oidc_grants').column('user_id').execute();
  await db.schema.createIndex('oidc_grants_of_application').on('oidc_grants').column('application_id').execute();
  await db.schema.createIndex('oidc_grants_of_session').on('oidc_grants').column('session_id').execute();
  await db.schema.createIndex('oidc_grants_by_expiry').on('oidc_grants').column('expires_at').execute();
  await sql
    .raw(`create index oidc_grants_ended on oidc_grants (id) where session_id is null and kind = 'session'`)
    .execute(db);
  await sql
    .raw(`create unique index oidc_consents on oidc_grants (user_id, application_id) where kind = 'consent'`)
    .execute(db);
}

async function addTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('oidc_tokens')
    .addColumn('token_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('grant_id', 'text', (column) => column.references('oidc_grants.id').onDelete('cascade'))
    .addColumn('application_id', 'bigint', (column) =>
      column.notNull().references('applications.id').onDelete('cascade'),
    )
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('audience', 'text')
    .addColumn('redirect_uri', 'text')
    .addColumn('code_challenge', 'text')
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('consumed_at', 'bigint')
    .execute();
  await db.schema.createIndex('oidc_tokens_of_grant').on('oidc_tokens').column('grant_id').execute();
  await db.schema.createIndex('oidc_tokens_of_application').on('oidc_tokens').column('application_id').execute();
  await db.schema.createIndex('oidc_tokens_by_expiry').on('oidc_tokens').column('expires_at').execute();
}

async function addRequests(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('oidc_requests')
    .addColumn('id_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('consumed_at', 'bigint')
    .execute();
  await db.schema.createIndex('oidc_requests_by_expiry').on('oidc_requests').column('expires_at').execute();
  await db.schema
    .createTable('oidc_device_codes')
    .addColumn('device_code_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_code_hash', 'text', (column) => column.notNull().unique())
    .addColumn('application_id', 'bigint', (column) =>
      column.notNull().references('applications.id').onDelete('cascade'),
    )
    .addColumn('grant_id', 'text', (column) => column.references('oidc_grants.id').onDelete('set null'))
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('resource', 'text')
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('interval_ms', 'integer', (column) => column.notNull())
    .addColumn('polled_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('oidc_device_codes_of_application')
    .on('oidc_device_codes')
    .column('application_id')
    .execute();
  await db.schema.createIndex('oidc_device_codes_of_grant').on('oidc_device_codes').column('grant_id').execute();
  await db.schema.createIndex('oidc_device_codes_by_expiry').on('oidc_device_codes').column('expires_at').execute();
}

/** Creates the tables of OpenID Connect: keys, grants, tokens and pending requests. Gives each user a `sub`. */
export const openidConnect = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await addColumns(kind, db);
    await db.schema
      .createTable('oidc_keys')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('alg', 'text', (column) => column.notNull())
      .addColumn('public_jwk', 'text', (column) => column.notNull())
      .addColumn('sealed_jwk', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('retires_at', 'bigint')
      .execute();
    await addGrants(db);
    await addTokens(db);
    await addRequests(db);
    if (kind === 'postgres') await sql.raw(changeFeed).execute(db);
  },
});
