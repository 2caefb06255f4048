import { type RawBuilder, sql } from 'kysely';
import type { Database } from './handle.ts';
import { DatabaseError, toDatabaseError } from './reach.ts';
import { fileFault } from './reasons.ts';
import { tableNames } from './schema.ts';

// Checks what the service needs from a database. Without these checks, the service could start, report that it is ready, and
// then fail at the first sign-in or keep accepting sessions that have ended.

/** PostgreSQL 12, as in the setting server_version_num. */
const MIN_VERSION = 120_000;
const ROW_TRIGGERS = ['authsvc_tell_update', 'authsvc_tell_delete', 'authsvc_tell_truncate'];
/** The triggers of the change feed, by table. */
const feedTriggers = {
  users: ROW_TRIGGERS,
  sessions: ROW_TRIGGERS,
  api_tokens: ROW_TRIGGERS,
  oidc_grants: ROW_TRIGGERS,
  applications: [...ROW_TRIGGERS, 'authsvc_tell_insert', 'authsvc_raise_version'],
  oidc_keys: ['authsvc_tell_keys'],
  webhooks: ['authsvc_tell_webhooks'],
};

/** Returns the names of the triggers that refuse changes to rows of the audit log. */
const auditTriggers = (...changes: string[]) => changes.map((change) => `audit_events.audit_events_refuse_${change}`);

async function rowsOf<T>({ kysely }: Database, query: RawBuilder<T>): Promise<T[]> {
  return (await query.execute(kysely)).rows;
}

interface ServerFacts {
  version: number;
  encoding: string;
  read_only: string;
  role: string;
  schema: string | null;
  user_name: string;
  may_create: boolean | null;
}

const serverFacts = sql<ServerFacts>`
  select
    current_setting('server_version_num')::integer as version,
    current_setting('server_encoding') as encoding,
    current_setting('transaction_read_only') as read_only,
    current_setting('session_replication_role') as role,
    current_schema() as schema,
    current_user as user_name,
    has_schema_privilege(current_schema(), 'create') as may_create`;

async function serverFaults(database: Database, hasPending: boolean): Promise<string[]> {
  const faults: string[] = [];
  for (const facts of await rowsOf(database, serverFacts)) {
    const { version, encoding, schema, user_name: user } = facts;
    if (version < MIN_VERSION) faults.push('The server is older than PostgreSQL 12.');
    if (encoding !== 'UTF8')
      faults.push(
        `Its encoding is ${encoding}, which has no room for every name; it must be UTF8. Make a new database with: createdb -E UTF8 -T template0 NAME`,
      );
    if (facts.read_only === 'on')
      faults.push(
        'It can only be read: the server is a standby, or default_transaction_read_only is on. Name the server that takes writes.',
      );
    if (facts.role === 'replica')
      faults.push('session_replication_role is replica, so that no trigger runs. Set it to origin for this user.');
    if (schema === null) faults.push('No schema of its search_path exists. Create one, or correct the search_path.');
    else if (hasPending && facts.may_create === false)
      faults.push(
        `The user ${user} may not make tables in its schema ${schema}. Run there: grant create on schema ${schema} to ${user}`,
      );
  }
  return faults;
}

interface TableFacts {
  name: string;
  is_complete: boolean;
  is_filtered: boolean;
}

/** Our tables are in the same schema as kysely_migration. That schema may also contain tables of other programs. */
const tableFacts = sql<TableFacts>`
  select
    c.relname as name,
    has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
      and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete') as is_complete,
    row_security_active(c.oid) as is_filtered
  from pg_class c
  where c.relkind in ('r', 'p')
    and c.relnamespace = (select relnamespace from pg_class where oid = to_regclass('kysely_migration'))`;

const activeTriggers = sql<{ name: string }>`
  select c.relname || '.' || t.tgname as name
  from pg_trigger t
  join pg_class c on c.oid = t.tgrelid
  where t.tgenabled in ('O', 'A')
    and c.relnamespace = (select relnamespace from pg_class where oid = to_regclass('kysely_migration'))`;

const missingFault = (tables: readonly string[]): string | false =>
  tables.length > 0 && `It lacks the tables ${tables.join(', ')}. Restore a backup.`;

const unguardedFault = (triggers: readonly string[]): string | false =>
  triggers.length > 0 &&
  `The triggers ${triggers.join(', ')} are missing or disabled, so that the audit log could be changed. Enable them, or restore a backup with its triggers.`;

async function tableFaults(database: Database): Promise<string[]> {
  const facts = new Map((await rowsOf(database, tableFacts)).map((table) => [table.name, table]));
  const triggers = new Set((await rowsOf(database, activeTriggers)).map(({ name }) => name));
  const missing = tableNames.filter((name) => !facts.has(name));
  const closed = tableNames.filter((name) => facts.get(name)?.is_complete === false);
  const filtered = tableNames.filter((name) => facts.get(name)?.is_filtered);
  const silent = Object.entries(feedTriggers)
    .flatMap(([table, names]) => names.map((name) => `${table}.${name}`))
    .filter((name) => !triggers.has(name));
  const unguarded = auditTriggers('update', 'truncate', 'delete').filter((name) => !triggers.has(name));
  return [
    missingFault(missing),
    closed.length > 0 &&
      `The user of DATABASE_URL may not select, insert, update and delete in ${closed.join(', ')}. Grant these rights, or let it own the tables.`,
    filtered.length > 0 &&
      `Row-level security hides rows of ${filtered.join(', ')}. Disable it there, or let the user bypass it.`,
    silent.length > 0 &&
      `The triggers ${silent.join(', ')} are missing or disabled, so that processes would not see changes. Enable them, or restore a backup with its triggers.`,
    unguardedFault(unguarded),
  ].filter((fault) => fault !== false);
}

/** The only table that SQLite does not have. */
const RATE_LIMITS = 'rate_limits';

/** The tables and triggers of an SQLite file. */
const fileObjects = sql<{ name: string }>`
  select case type when 'trigger' then tbl_name || '.' || name else name end as name
  from sqlite_master where type in ('table', 'trigger')`;

async function fileTableFaults(database: Database): Promise<string[]> {
  const found = new Set((await rowsOf(database, fileObjects)).map(({ name }) => name));
  const missing = tableNames.filter((name) => name !== RATE_LIMITS && !found.has(name));
  const unguarded = auditTriggers('update').filter((name) => !found.has(name));
  return [missingFault(missing), unguardedFault(unguarded)].filter((fault) => fault !== false);
}

async function fileFaults(database: Database): Promise<string[]> {
  const fault = fileFault(database.place.file ?? '');
  if (fault) throw fault;
  const [row] = await rowsOf(database, sql<{ encoding: string }>`pragma encoding`);
  const isUtf8 = row?.encoding === 'UTF-8';
  return isUtf8 ? [] : [`Its encoding is ${row?.encoding}; it must be UTF-8. Make a new file.`];
}

function refuse({ place }: Database, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const list = faults.map((fault) => `\n  ${fault}`).join('');
  throw new DatabaseError(`The database at ${place.shown} cannot be used:${list}`);
}

/**
 * Refuses a database without something that the service needs: the encoding UTF-8 and the right to write. PostgreSQL also
 * needs a minimum version, a schema and, while migrations are pending, the right to create tables.
 *
 * @throws DatabaseError that lists every problem and what to do about it
 */
export async function requireUsable(database: Database, hasPending: boolean): Promise<void> {
  try {
    const isFile = database.kind === 'sqlite';
    refuse(database, isFile ? await fileFaults(database) : await serverFaults(database, hasPending));
  } catch (error) {
    throw toDatabaseError(database, error);
  }
}

/**
 * Refuses a migrated database in which a table or a trigger is missing. On PostgreSQL, also refuses it if a right on a
 * table is missing, or if row-level security hides rows.
 *
 * @throws DatabaseError that lists every problem and what to do about it
 */
export async function requireComplete(database: Database): Promise<void> {
  refuse(database, await (database.kind === 'sqlite' ? fileTableFaults(database) : tableFaults(database)));
}
