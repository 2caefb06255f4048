import type { Handle } from '../db/handle.ts';
import type { LookupCache } from '../db/lookup-cache.ts';
import type { Services } from '../http/route.ts';
import { isRecent, SECOND_MS } from '../lib/clock.ts';
import { sha256 } from '../lib/digest.ts';
import { type ActiveGrant, findGrant } from './find-grant.ts';
import { consumeToken, tokenByHash, useOfToken } from './token-queries.ts';

type TokenRow = NonNullable<Awaited<ReturnType<typeof tokenByHash.first>>>;

declare module '../http/route.ts' {
  interface Services {
    /** Cached access tokens, by hash. A token never changes and ends with its grant. */
    accessTokenCache: LookupCache<TokenRow>;
  }
}

/**
 * How long a confidential application may use the same refresh token again. This allows for several workers that
 * share a token, and for lost replies.
 */
const REPEAT_MS = 10 * SECOND_MS;

export type TokenKind = 'code' | 'access' | 'refresh';

/** A code or token whose grant currently gives access. The code or token itself may be used or expired. */
export interface FoundToken extends ActiveGrant {
  scopes: string;
  audience: string | null;
  redirectUri: string | null;
  codeChallenge: string | null;
  startedAt: number;
  createdAt: number;
  expiresAt: number;
  isConsumed: boolean;
}

type Needs = Pick<Services, 'database' | 'grantCache' | 'accessTokenCache' | 'registryCache' | 'clock'>;

/** Returns the row of a code or token. Access tokens are cached, because applications send them repeatedly. */
function rowOf({ database, accessTokenCache }: Needs, kind: TokenKind, token: string): Promise<TokenRow | undefined> {
  const hash = sha256(token);
  const read = (handle: Handle) => tokenByHash.first(handle, { hash, kind });
  if (kind !== 'access') return read(database);
  return accessTokenCache.find(hash, async () => {
    const value = await read(database);
    return value && { value, rows: [`oidc_grants ${value.grant_id}`] };
  });
}

const wasJustUsed = (consumedAt: number | null, now: number): boolean =>
  consumedAt !== null && isRecent(consumedAt, { now, ms: REPEAT_MS });

/** Finds a code or token by its value, if its grant currently gives access. */
export async function findToken(services: Needs, kind: TokenKind, token: string): Promise<FoundToken | undefined> {
  const row = await rowOf(services, kind, token);
  const found = row?.grant_id ? await findGrant(services, row.grant_id) : undefined;
  if (!row || !found) return undefined;
  const { consumed_at: consumedAt } = row;
  const mayRepeat = kind === 'refresh' && row.is_public === 0 && wasJustUsed(consumedAt, services.clock.now());
  return {
    ...found,
    scopes: row.scopes,
    audience: row.audience,
    redirectUri: row.redirect_uri,
    codeChallenge: row.code_challenge,
    startedAt: row.started_at,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    isConsumed: consumedAt !== null && !mayRepeat,
  };
}

/** Finds an access token that an application got for itself, without a user. */
export async function findClientToken({ database }: Pick<Services, 'database'>, token: string) {
  const row = await tokenByHash.first(database, { hash: sha256(token), kind: 'client' });
  return (
    row && {
      key: row.key,
      scopes: row.scopes,
      audience: row.audience,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }
  );
}

/**
 * Marks a code or refresh token as used. A guarded update lets only one of several concurrent requests succeed,
 * even in different processes.
 *
 * @returns false if it was used before and may not be used again
 */
export async function consume(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  token: string,
  mayRepeat: boolean,
): Promise<boolean> {
  const [hash, now] = [sha256(token), clock.now()];
  if ((await consumeToken.run(database, { hash, now })) > 0) return true;
  return mayRepeat && wasJustUsed((await useOfToken.first(database, { hash }))?.consumed_at ?? null, now);
}
