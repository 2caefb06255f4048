import type { Application } from '../applications/application.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { newUuid } from '../lib/random.ts';
import { lockUsers } from '../users/lock-users.ts';
import { parseScopes } from './grant.ts';
import { consentOf, extendConsent, insertGrant, useGrant } from './queries.ts';
import type { Visitor } from './visit.ts';

/** A consent does not expire. It lasts until the user withdraws it. */
const NEVER = Date.UTC(9999, 11, 31);

/** Stores that a user has agreed to the scopes of an application. Scopes that the user agreed to earlier are kept. */
export async function rememberConsent(
  { database, now, actor }: Change,
  { user, authenticatedAt, amr }: Visitor,
  { id: applicationId, key }: Application,
  scopes: readonly string[],
): Promise<void> {
  const userId = user.id;
  await database.transaction(async (tx) => {
    await lockUsers(tx, [userId]);
    const before = await consentOf.first(tx, { userId, applicationId });
    const id = before?.id ?? newUuid();
    const all = [...new Set([...parseScopes(before?.scopes ?? ''), ...scopes])].join(' ');
    if (before) await extendConsent.run(tx, { id, scopes: all, now });
    else {
      const consent = { id, kind: 'consent', userId, applicationId, sessionId: null, sid: '', scopes: all };
      const rest = { resource: null, nonce: null, authenticatedAt, amr: JSON.stringify(amr), now, expiresAt: NEVER };
      await insertGrant.run(tx, { ...consent, ...rest });
      await useGrant.run(tx, { id, now, expiresAt: NEVER });
    }
    const details = { id, change: 'given', fields: ['consent'] } as const;
    const subject = { id: userId, name: user.username };
    await recordEvent(tx, { type: 'grant.changed', actor, subject, details, application: key });
  });
}
