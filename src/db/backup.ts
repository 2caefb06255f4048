import { sql } from 'kysely';
import type { Database } from './handle.ts';
import { DatabaseError } from './reach.ts';

/**
 * Writes the current state of an SQLite database into an empty file, and checks the copy. Other connections can read and
 * write while this runs.
 *
 * @param file path of a file that exists and is empty
 * @returns the numbers of users and sessions in the copy
 * @throws DatabaseError if the copy is damaged
 */
export function writeBackup({ kysely }: Database, file: string): Promise<{ users: number; sessions: number }> {
  return kysely.connection().execute(async (connection) => {
    await sql`vacuum into ${file}`.execute(connection);
    await sql`attach database ${file} as copy`.execute(connection);
    try {
      const { rows } = await sql<{ integrity_check: string }>`pragma copy.integrity_check`.execute(connection);
      if (rows[0]?.integrity_check !== 'ok')
        throw new DatabaseError('The backup is damaged: it failed integrity_check.');
      const counts = await sql<{ users: number; sessions: number }>`
        select (select count(*) from copy.users) as users, (select count(*) from copy.sessions) as sessions`.execute(
        connection,
      );
      return counts.rows[0] ?? { users: 0, sessions: 0 };
    } finally {
      await sql`detach database copy`.execute(connection);
    }
  });
}
