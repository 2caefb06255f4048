import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

const columns = ['id', 'username', 'full_name', 'role', 'allowed_apps', 'image', 'deactivated_at', 'email'];
const list = (row: string): string => `(${columns.map((column) => `${row}.${column}`).join(', ')})`;

/** Makes the change feed report changed e-mail addresses. Processes cache them for headers that proxies pass on. */
export const emailFeed = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    if (kind === 'sqlite') return;
    await sql.raw('drop trigger authsvc_tell_update on users').execute(db);
    const when = `${list('old')} is distinct from ${list('new')}`;
    await sql
      .raw(
        `create trigger authsvc_tell_update after update on users for each row when (${when}) execute function authsvc_tell_change()`,
      )
      .execute(db);
  },
});
