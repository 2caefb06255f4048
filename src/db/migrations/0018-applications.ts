import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';
import { idColumn } from './columns.ts';

const changeFeed = `
create function authsvc_tell_applications() returns trigger language plpgsql as $$
begin
  perform pg_catalog.pg_notify('authsvc_changes', 'applications *');
  return null;
end $$;
create trigger authsvc_tell_insert after insert on applications for each row
  execute function authsvc_tell_applications();
create trigger authsvc_tell_update after update on applications for each row
  when (old.* is distinct from new.*) execute function authsvc_tell_applications();
create trigger authsvc_tell_delete after delete on applications for each row
  execute function authsvc_tell_applications();
create trigger authsvc_tell_truncate after truncate on applications execute function authsvc_tell_applications();`;

/** Creates the registry of applications. The change feed does not name its rows, because processes cache the whole table. */
export const applications = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await idColumn(kind, db.schema.createTable('applications'))
      .addColumn('key', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('urls', 'text', (column) => column.notNull())
      .addColumn('redirect_uris', 'text', (column) => column.notNull())
      .addColumn('post_logout_redirect_uris', 'text', (column) => column.notNull())
      .addColumn('roles', 'text', (column) => column.notNull())
      .addColumn('backchannel_logout_uri', 'text')
      .addColumn('icon', 'text')
      .addColumn('is_public', 'integer', (column) => column.notNull())
      .addColumn('is_third_party', 'integer', (column) => column.notNull())
      .addColumn('secret_hash', 'text')
      .addColumn('old_secret_hash', 'text')
      .addColumn('old_secret_expires_at', 'bigint')
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('disabled_at', 'bigint')
      .execute();
    if (kind === 'postgres') await sql.raw(changeFeed).execute(db);
  },
});
