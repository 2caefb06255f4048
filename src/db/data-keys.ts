import { sql } from 'kysely';
import { sha256 } from '../lib/digest.ts';
import { randomText } from '../lib/random.ts';
import { createSealer, type Sealer } from '../lib/sealing.ts';
import type { Database, Handle } from './handle.ts';
import { defineDynamicQuery, defineQuery } from './query.ts';
import { DatabaseError } from './reach.ts';

const PURPOSE = 'data key';
const KEY_BYTES = 32;
const ID_LENGTH = 16;

/** Seals values for the database. Its keys are in the database too, sealed by the session secrets. */
export interface DataSealer extends Sealer {
  /** Id of the key that seals new values. A row stores this id beside its sealed value. */
  readonly keyId: string;
  /** The ids of all keys that this process can open. */
  readonly keyIds: readonly string[];
}

/** A session secret, used to seal data keys. */
interface Secret {
  name: string;
  sealer: Sealer;
}

interface DataKey {
  id: string;
  key: string;
  createdAt: number;
}

type SealRow = Awaited<ReturnType<typeof allSeals.all>>[number];

const allSeals = defineQuery('dataKeys.all', (db) =>
  db.selectFrom('data_keys').selectAll().orderBy('created_at', 'desc').orderBy('id'),
);

interface NewSeal {
  id: string;
  sealedBy: string;
  generation: number;
  sealed: string;
  createdAt: number;
}

const insertSeal = defineQuery('dataKeys.insertSeal', (db, { id, sealedBy, generation, sealed, createdAt }: NewSeal) =>
  db
    .insertInto('data_keys')
    .values({ id, sealed_by: sealedBy, generation, sealed_key: sealed, created_at: createdAt })
    .onConflict((conflict) => conflict.doNothing()),
);

const deleteSeals = defineDynamicQuery(
  'dataKeys.deleteSeals',
  (db, { ids, sealedBy }: { ids: string[]; sealedBy: string[] }) =>
    db.deleteFrom('data_keys').where('id', 'in', ids).where('sealed_by', 'in', sealedBy),
);

const toSecrets = (secrets: readonly string[]): Secret[] =>
  secrets.map((secret) => {
    const sealer = createSealer([secret]);
    const [name] = sealer.keys(`${PURPOSE} name`);
    return { name: name?.toString('hex').slice(0, ID_LENGTH) ?? '', sealer };
  });

function toDataSealer(keys: readonly DataKey[]): DataSealer | undefined {
  const [newest] = keys;
  if (!newest) return undefined;
  return { ...createSealer(keys.map(({ key }) => key)), keyId: newest.id, keyIds: keys.map(({ id }) => id) };
}

/** Returns the data keys that the secrets can open, newest first. */
function openKeys(rows: readonly SealRow[], secrets: readonly Secret[]): DataKey[] {
  const keys = new Map<string, DataKey>();
  for (const { id, sealed_by, sealed_key, created_at: createdAt } of rows) {
    const key = secrets.find(({ name }) => name === sealed_by)?.sealer.open(PURPOSE, sealed_key);
    if (key !== undefined && !keys.has(id)) keys.set(id, { id, key, createdAt });
  }
  return [...keys.values()];
}

/** Returns the generation of each secret. A secret that has not sealed a key yet gets a new generation, above all others. */
function generationsOf(rows: readonly SealRow[], secrets: readonly Secret[]): Map<string, number> {
  const generations = new Map(rows.map((row) => [row.sealed_by, row.generation]));
  let newest = Math.max(0, ...generations.values());
  for (const { name } of secrets.toReversed()) {
    if (generations.has(name)) continue;
    newest += 1;
    generations.set(name, newest);
  }
  return generations;
}

/**
 * Seals each key with each configured secret, and deletes the seals of older secrets.
 *
 * Seals of newer secrets stay. A process that is not configured with the newer secret yet may be starting now, and must not
 * delete them.
 */
async function setSeals(handle: Handle, secrets: readonly Secret[], keys: readonly DataKey[]): Promise<void> {
  const rows = await allSeals.all(handle, {});
  const generations = generationsOf(rows, secrets);
  const generationOf = (name: string | undefined) => generations.get(name ?? '') ?? 0;
  for (const { id, key, createdAt } of keys) {
    const sealedBy = rows.filter((row) => row.id === id).map((row) => row.sealed_by);
    for (const { name, sealer } of secrets.filter((secret) => !sealedBy.includes(secret.name))) {
      const seal = { id, sealedBy: name, generation: generationOf(name), createdAt };
      await insertSeal.run(handle, { ...seal, sealed: sealer.seal(PURPOSE, key) });
    }
  }
  const current = secrets.map(({ name }) => name);
  const older = [...generations.keys()].filter(
    (name) => !current.includes(name) && generationOf(name) < generationOf(current[0]),
  );
  // Keys that these secrets cannot open keep all their seals.
  const ids = keys.map(({ id }) => id);
  if (older.length > 0 && ids.length > 0) await deleteSeals.run(handle, { ids, sealedBy: older });
}

/** Creates a key, unless another process has just created one that the secrets open. Only one process at a time does this. */
function makeKey(database: Database, secrets: readonly Secret[], now: number): Promise<DataKey[]> {
  return database.transaction(async (tx) => {
    if (tx.kind === 'postgres') await sql`lock table data_keys in share row exclusive mode`.execute(tx.kysely);
    const keys = openKeys(await allSeals.all(tx, {}), secrets);
    if (keys.length > 0) return keys;
    const key = randomText(KEY_BYTES);
    const made = [{ id: sha256(key).slice(0, ID_LENGTH), key, createdAt: now }];
    await setSeals(tx, secrets, made);
    return made;
  });
}

/**
 * Reads the data keys without changing anything.
 *
 * @returns undefined if the session secrets open no data key
 */
export async function readDataSealer(handle: Handle, secrets: readonly string[]): Promise<DataSealer | undefined> {
  return toDataSealer(openKeys(await allSeals.all(handle, {}), toSecrets(secrets)));
}

interface PrepareOptions {
  /** The session secrets. */
  secrets: readonly string[];
  now: number;
  /** Whether to create another data key if data keys exist, but the session secrets open none of them. */
  makesFurtherKey: boolean;
}

/**
 * Prepares the data keys: creates the first one, and seals each key with every configured session secret. So after one start
 * with a new and an old secret, the new secret alone is enough. Any number of processes may do this at the same time.
 *
 * @returns undefined if data keys exist, the secrets open none of them, and no other key may be created
 * @see docs/decisions/0020-data-keys.md
 */
export async function prepareDataKeys(
  database: Database,
  { secrets: texts, now, makesFurtherKey }: PrepareOptions,
): Promise<DataSealer | undefined> {
  const secrets = toSecrets(texts);
  const rows = await allSeals.all(database, {});
  const opened = openKeys(rows, secrets);
  if (opened.length === 0 && rows.length > 0 && !makesFurtherKey) return undefined;
  const keys = opened.length > 0 ? opened : await makeKey(database, secrets, now);
  await setSeals(database, secrets, keys);
  return toDataSealer(keys);
}

/**
 * Opens the data keys. Creates the first key if there is none. Never changes existing keys.
 *
 * @throws DatabaseError if data keys exist and the session secrets open none of them
 */
export async function openDataSealer(database: Database, secrets: readonly string[], now: number): Promise<DataSealer> {
  const found = await readDataSealer(database, secrets);
  const dataSealer = found ?? (await prepareDataKeys(database, { secrets, now, makesFurtherKey: false }));
  if (dataSealer) return dataSealer;
  throw new DatabaseError(
    `SESSION_SECRET_KEY opens no data key of the database at ${database.place.shown}. Use the SESSION_SECRET_KEY of the service.`,
  );
}
