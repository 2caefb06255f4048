import { generateKeyPair, type JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import { type IdTokenAlg, idTokenAlgs } from '../applications/application.ts';
import { anyRowOf } from '../db/changes.ts';
import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import type { LookupCache } from '../db/lookup-cache.ts';
import { takeTransactionLock } from '../db/transaction-lock.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Services } from '../http/route.ts';
import { HOUR_MS } from '../lib/clock.ts';
import { randomText } from '../lib/random.ts';
import type { SharedWork } from '../lib/shared-work.ts';
import type { JwtKey } from './jwt.ts';
import { allKeys, deleteKeys, insertKey, retireKeys } from './key-queries.ts';

const PURPOSE = 'OpenID Connect key';
const KEYS = 'all';
const LOCK = 7_041_776_210;
const KID_BYTES = 12;
const RSA_BITS = 2048;
/**
 * How long retired keys stay published. ID tokens are valid for an hour, and applications fetch the keys only from
 * time to time.
 */
const PUBLISHED_MS = 2 * HOUR_MS;
const makePair = promisify(generateKeyPair);

/** A key that signs, or a retired key. */
export interface SigningKey {
  id: string;
  alg: IdTokenAlg;
  publicJwk: JsonWebKey;
  /** The sealed private key. */
  sealedJwk: string;
  createdAt: number;
  /** When the key is no longer published; null while it signs. */
  retiresAt: number | null;
}

declare module '../http/route.ts' {
  interface Services {
    /** The cached list of keys. The cache has only this one entry. */
    oidcKeyCache: LookupCache<readonly SigningKey[]>;
    /**
     * Creates the first keys only once for all concurrent requests. Creating a key takes a good part of a second and
     * occupies a thread that also hashes passwords.
     */
    firstKeys: SharedWork<typeof KEYS, void>;
  }
}

function parseJwk(text: string): JsonWebKey {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Lists all keys. Keys that sign come first. */
export async function listKeys(handle: Handle): Promise<SigningKey[]> {
  const rows = await allKeys.all(handle, {});
  const keys = rows.map((row) => ({
    id: row.id,
    alg: row.alg === 'ES256' ? ('ES256' as const) : ('RS256' as const),
    publicJwk: parseJwk(row.public_jwk),
    sealedJwk: row.sealed_jwk,
    createdAt: row.created_at,
    retiresAt: row.retires_at,
  }));
  return [...keys.filter(({ retiresAt }) => retiresAt === null), ...keys.filter(({ retiresAt }) => retiresAt !== null)];
}

async function makeKey(alg: IdTokenAlg, dataSealer: DataSealer) {
  const { privateKey, publicKey } =
    alg === 'RS256'
      ? await makePair('rsa', { modulusLength: RSA_BITS })
      : await makePair('ec', { namedCurve: 'P-256' });
  const id = randomText(KID_BYTES);
  const publicJwk = JSON.stringify({ ...publicKey.export({ format: 'jwk' }), kid: id, alg, use: 'sig' });
  const sealedJwk = dataSealer.seal(PURPOSE, JSON.stringify(privateKey.export({ format: 'jwk' })));
  return { id, alg, publicJwk, sealedJwk, keyId: dataSealer.keyId };
}

const makeKeys = (dataSealer: DataSealer) => Promise.all(idTokenAlgs.map((alg) => makeKey(alg, dataSealer)));

/** The services that `getKeys` uses to find keys and to create the first ones. */
export type KeyNeeds = Pick<Services, 'database' | 'oidcKeyCache' | 'firstKeys' | 'dataSealer' | 'clock'>;

/** Creates the first keys. If several processes do this at the same time, only the keys of one process are stored. */
async function makeFirstKeys({ database, dataSealer, clock }: KeyNeeds): Promise<void> {
  const now = clock.now();
  const keys = await makeKeys(dataSealer);
  await database.transaction(async (tx) => {
    await takeTransactionLock(tx, LOCK);
    const present = await listKeys(tx);
    for (const key of keys)
      if (!present.some(({ alg, retiresAt }) => alg === key.alg && retiresAt === null))
        await insertKey.run(tx, { ...key, now });
  });
}

/**
 * Returns all keys, including those that are no longer published. Keys that sign come first. Creates the first keys if
 * there are none.
 *
 * The keys are cached until they change. The cache is used only while this process is certain to receive all
 * changes.
 */
export async function getAllKeys(needs: KeyNeeds): Promise<readonly SigningKey[]> {
  const { database, oidcKeyCache, firstKeys } = needs;
  const find = () =>
    oidcKeyCache.find(KEYS, async () => {
      const value = await listKeys(database);
      return value.some(({ retiresAt }) => retiresAt === null) ? { value, rows: [anyRowOf('oidc_keys')] } : undefined;
    });
  const found = await find();
  if (!found) await firstKeys.run(KEYS, () => makeFirstKeys(needs));
  return found ?? (await find()) ?? [];
}

/** Returns the published keys. Keys that sign come first. Creates the first keys if there are none. */
export async function getKeys(needs: KeyNeeds): Promise<readonly SigningKey[]> {
  const keys = await getAllKeys(needs);
  const now = needs.clock.now();
  return keys.filter(({ retiresAt }) => retiresAt === null || retiresAt > now);
}

/** Decrypts the private key. */
export function privateKeyOf({ id, alg, sealedJwk }: SigningKey, dataSealer: DataSealer): JwtKey {
  const text = dataSealer.open(PURPOSE, sealedJwk);
  if (text === undefined) throw new Error('no data key opens the keys of OpenID Connect');
  return { id, alg, jwk: parseJwk(text) };
}

/**
 * Creates new keys that sign from now on.
 *
 * @param keepOld whether the old keys stay published, so that tokens signed with them still verify
 */
export async function rotateKeys(
  { database, now, actor, dataSealer }: Change & { dataSealer: DataSealer },
  keepOld: boolean,
): Promise<SigningKey[]> {
  const keys = await makeKeys(dataSealer);
  return database.transaction(async (tx) => {
    await takeTransactionLock(tx, LOCK);
    if (keepOld) await retireKeys.run(tx, { retiresAt: now + PUBLISHED_MS });
    else await deleteKeys.run(tx, {});
    for (const key of keys) await insertKey.run(tx, { ...key, now });
    await recordEvent(tx, { type: 'keys.rotated', actor, subject: null, details: {} });
    return (await listKeys(tx)).filter(({ retiresAt }) => retiresAt === null || retiresAt > now);
  });
}
