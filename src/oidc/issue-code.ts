import { findRegistry } from '../applications/registry.ts';
import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { asUser } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Services } from '../http/route.ts';
import { DAY_MS, SECOND_MS } from '../lib/clock.ts';
import { sha256 } from '../lib/digest.ts';
import { randomText } from '../lib/random.ts';
import { requireLockedSession } from '../sessions/find-session.ts';
import { lockUsers } from '../users/lock-users.ts';
import { OFFLINE } from './grant.ts';
import { insertGrant, sidOfSession } from './queries.ts';
import { useRequests } from './requests.ts';
import { insertToken } from './token-queries.ts';
import type { Visit, Visitor } from './visit.ts';

export const CODE_SECONDS = 60;
const SID_BYTES = 16;

/** An authorization code that the library has created. */
export interface NewCode {
  code: string;
  grantId: string;
  /** The key of the application. */
  key: string;
  scopes: readonly string[];
  resource: string | null;
  nonce: string | null;
  redirectUri: string;
  codeChallenge: string | null;
}

async function sidFor(tx: Transaction, sessionId: string, applicationId: number): Promise<string> {
  return (await sidOfSession.first(tx, { sessionId, applicationId }))?.sid ?? randomText(SID_BYTES);
}

/**
 * Stores an authorization code and the grant that its tokens will belong to. Marks as used the requests that the code
 * answers.
 *
 * The grant is bound to the user's session, unless the application was given access that outlives the session.
 *
 * @returns false if the application's pushed request was used before
 * @throws AppError NOT_SIGNED_IN if the session has ended meanwhile; OIDC_CLIENT_UNKNOWN if the application was
 * disabled
 */
export async function issueCode(
  { database, registryCache, clock }: Pick<Services, 'database' | 'registryCache' | 'clock'>,
  visit: Visit,
  { sessionId, user, authenticatedAt, amr }: Visitor,
  code: NewCode,
): Promise<boolean> {
  const application = (await findRegistry({ database, registryCache })).active.get(code.key);
  if (!application) throw new AppError('OIDC_CLIENT_UNKNOWN');
  const { id: applicationId, key } = application;
  const now = clock.now();
  const kind = code.scopes.includes(OFFLINE) ? 'offline' : 'session';
  const subject = { id: user.id, name: user.username };
  return database.transaction(async (tx) => {
    await lockUsers(tx, [user.id]);
    await requireLockedSession(tx, { id: sessionId }, now);
    if (!(await useRequests(tx, visit, now))) return false;
    const expiresAt = now + CODE_SECONDS * SECOND_MS;
    const scopes = code.scopes.join(' ');
    await insertGrant.run(tx, {
      id: code.grantId,
      kind,
      userId: user.id,
      applicationId,
      sessionId,
      sid: await sidFor(tx, sessionId, applicationId),
      scopes,
      resource: code.resource,
      nonce: code.nonce,
      authenticatedAt,
      amr: JSON.stringify(amr),
      now,
      expiresAt: now + DAY_MS,
    });
    await insertToken.run(tx, {
      hash: sha256(code.code),
      kind: 'code',
      grantId: code.grantId,
      applicationId,
      scopes,
      audience: null,
      redirectUri: code.redirectUri,
      codeChallenge: code.codeChallenge,
      startedAt: now,
      now,
      expiresAt,
    });
    const details = { id: code.grantId, change: 'given', fields: [kind] } as const;
    const by = asUser(visit.actor, subject, sessionId);
    await recordEvent(tx, { type: 'grant.changed', actor: by, subject, details, application: key });
    return true;
  });
}
