import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

const trigger = `
create function authsvc_raise_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create trigger authsvc_raise_version before update on applications for each row
  when (old.version = new.version and old.* is distinct from new.*) execute function authsvc_raise_version();`;

/**
 * Makes PostgreSQL raise the version of an application with each change, whichever program changes it. Processes compare
 * versions to find out whether the application that they know is the current one. On SQLite they do not rely on versions,
 * because there a process never lags behind the file.
 */
export const applicationVersions = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    if (kind === 'postgres') await sql.raw(trigger).execute(db);
  },
});
