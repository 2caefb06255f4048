import type { AppEvent } from '../events/event-types.ts';
import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { endSessionsOfUser } from './end-sessions.ts';
import { deleteSessionsOfMethod, deleteSessionsOfPasskey } from './queries.ts';

/** When a passkey is removed, ends the sessions that were opened with it. The session in which it is removed stays. */
const ofRemovedPasskey: Subscriber = {
  onEvent: async (tx, { type, subject, actor, details }) => {
    if (type !== 'factor.changed' || !subject || details.kind !== 'passkey' || details.change !== 'removed')
      return undefined;
    const { passkey_ref: passkeyRef = '' } = details;
    const keep = actor.sessionRef ?? '';
    return { sessions_ended: await deleteSessionsOfPasskey.run(tx, { userId: subject.id, passkeyRef, keep }) };
  },
};

/**
 * When a link to a provider is removed, ends the sessions that were opened through that provider. The session in which
 * it is removed stays.
 */
const ofRemovedLink: Subscriber = {
  onEvent: async (tx, { type, subject, actor, details }) => {
    if (type !== 'connection.changed' || !subject || details.change !== 'removed') return undefined;
    const keep = actor.sessionRef ?? '';
    return {
      sessions_ended: await deleteSessionsOfMethod.run(tx, { userId: subject.id, method: details.provider, keep }),
    };
  },
};

/**
 * For a change of the user's own password, returns the ref of the session in which it was made. That session stays
 * active.
 */
const keptBy = ({ type, actor, details }: AppEvent): string | undefined =>
  type === 'password.changed' && details.way === 'self' ? actor.sessionRef : undefined;

/** Ends all sessions of a user who loses all access, and the sessions of a removed passkey or provider link. */
export const sessionSubscribers: readonly Subscriber[] = [
  onAccessLoss(['all'], async (tx, userId, event) => ({
    sessions_ended: await endSessionsOfUser(tx, userId, keptBy(event)),
  })),
  ofRemovedPasskey,
  ofRemovedLink,
];
