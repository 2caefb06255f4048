import { defineDynamicQuery, defineQuery } from '../db/query.ts';

/** The numbers of connections that PostgreSQL allows to this user. -1 means that there is no such limit. */
export const connectionLimits = defineQuery('doctor.connectionLimits', (db, _params: object, { sql }) =>
  db.selectNoFrom([
    sql<number>`current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer`.as(
      'server',
    ),
    sql<number>`(select rolconnlimit from pg_roles where rolname = current_user)`.as('user'),
    sql<number>`(select datconnlimit from pg_database where datname = current_database())`.as('database'),
  ]),
);

/** The clock of PostgreSQL, in milliseconds since the epoch. */
export const databaseTime = defineQuery('doctor.databaseTime', (db, _params: object, { sql }) =>
  db.selectNoFrom(sql<string>`extract(epoch from clock_timestamp()) * 1000`.as('now')),
);

/** The time of the newest event. */
export const latestEvent = defineQuery('doctor.latestEvent', (db) =>
  db.selectFrom('audit_events').select(({ fn }) => fn.max('at').as('at')),
);

/** Prefix of a sealed imported hash. HEAD_LENGTH also includes the version of the sealing and the start of the key id. */
const IMPORTED = 'imported:';
const HEAD_LENGTH = `${IMPORTED}v1.12345`.length;

/** Imported password hashes: one sample for each data key that sealed some. `head` is the beginning that they share. */
export const importedHashes = defineQuery('doctor.importedHashes', (db, _params: object, { sql }) => {
  const head = sql<string>`substr(password_hash, 1, ${sql.lit(HEAD_LENGTH)})`;
  return db
    .selectFrom('users')
    .select(({ fn }) => [head.as('head'), fn.min<string>('password_hash').as('sample')])
    .where('password_hash', 'like', sql.lit(`${IMPORTED}%`))
    .groupBy(head);
});

export const countDataKeys = defineQuery('doctor.countDataKeys', (db) =>
  db.selectFrom('data_keys').select(({ fn }) => fn.countAll<number>().as('keys')),
);

interface Unreadable {
  /** Ids of the data keys that the secrets can decrypt. */
  keyIds: readonly string[];
  /** The beginnings of imported hashes that the secrets cannot decrypt. */
  heads: readonly string[];
}

/** The number of users whose second factor, recovery codes or imported password cannot be decrypted. */
export const countUnreadableUsers = defineDynamicQuery(
  'doctor.countUnreadableUsers',
  (db, { keyIds, heads }: Unreadable, { sql }) =>
    db
      .selectFrom('users')
      .select(({ fn }) => fn.countAll<number>().as('users'))
      .where((where) =>
        where.or([
          where(
            'id',
            'in',
            where
              .selectFrom('totp_factors')
              .select('user_id')
              .$if(keyIds.length > 0, (query) =>
                query.where((factor) => factor.or([factor('key_id', 'is', null), factor('key_id', 'not in', keyIds)])),
              ),
          ),
          where(
            'id',
            'in',
            where
              .selectFrom('recovery_codes')
              .select('user_id')
              .where('key_id', 'is not', null)
              .$if(keyIds.length > 0, (query) => query.where('key_id', 'not in', keyIds)),
          ),
          ...(heads.length > 0
            ? [where(sql<string>`substr(password_hash, 1, ${sql.lit(HEAD_LENGTH)})`, 'in', heads)]
            : []),
        ]),
      ),
);
