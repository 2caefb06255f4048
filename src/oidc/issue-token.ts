import { findRegistry } from '../applications/registry.ts';
import type { Services } from '../http/route.ts';
import { sha256 } from '../lib/digest.ts';
import { lockGrant, useGrant } from './queries.ts';
import { insertToken } from './token-queries.ts';

/** A token that the library has created. */
export interface NewToken {
  token: string;
  kind: 'access' | 'refresh';
  grantId: string;
  scopes: string;
  audience: string | null;
  /** When the first refresh token of its chain was created. */
  startedAt: number;
  expiresAt: number;
}

type Needs = Pick<Services, 'database' | 'registryCache' | 'clock'>;

/**
 * Stores the hash of a token. Extends its grant so that it lasts at least as long as the token.
 *
 * @returns false if the grant has ended meanwhile
 */
export function issueToken({ database, clock }: Needs, token: NewToken): Promise<boolean> {
  const { grantId, expiresAt } = token;
  const now = clock.now();
  return database.transaction(async (tx) => {
    const grant = await lockGrant.first(tx, { id: grantId });
    if (!grant) return false;
    const { kind, scopes, audience, startedAt } = token;
    const rest = { redirectUri: null, codeChallenge: null, applicationId: grant.application_id };
    const hash = sha256(token.token);
    await insertToken.run(tx, { ...rest, hash, kind, grantId, scopes, audience, startedAt, now, expiresAt });
    await useGrant.run(tx, { id: grantId, now, expiresAt: Math.max(grant.expires_at, expiresAt) });
    return true;
  });
}

/** Stores an access token that an application got for itself, without a user. */
export async function issueClientToken(
  services: Needs,
  { token, key, scopes, audience, expiresAt }: Omit<NewToken, 'kind' | 'grantId' | 'startedAt'> & { key: string },
): Promise<void> {
  const application = (await findRegistry(services)).active.get(key);
  if (!application) throw new Error('a token for an application that is not active');
  const now = services.clock.now();
  await insertToken.run(services.database, {
    hash: sha256(token),
    kind: 'client',
    grantId: null,
    applicationId: application.id,
    scopes,
    audience,
    redirectUri: null,
    codeChallenge: null,
    startedAt: now,
    now,
    expiresAt,
  });
}
