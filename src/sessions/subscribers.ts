import type { AppEvent } from '../events/event-types.ts';
import { onAccessLoss, type Subscriber } from '../events/subscriber.ts';
import { endSessionsOfUser } from './end-sessions.ts';
import { deleteSessionsOfMethod, deleteSessionsOfPasskey } from './queries.ts';

/** A removed passkey takes the sessions with it that it has opened, but the one in which it is removed. */
const ofRemovedPasskey: Subscriber = {
  onEvent: async (tx, { type, subject, actor, details }) => {
    if (type !== 'factor.changed' || !subject || details.kind !== 'passkey' || details.change !== 'removed')
      return undefined;
    const { passkey_ref: passkeyRef = '' } = details;
    const keep = actor.sessionRef ?? '';
    return { sessions_ended: await deleteSessionsOfPasskey.run(tx, { userId: subject.id, passkeyRef, keep }) };
  },
};

/** A removed link to a provider takes the sessions with it that it has opened, but the one in which it is removed. */
const ofRemovedLink: Subscriber = {
  onEvent: async (tx, { type, subject, actor, details }) => {
    if (type !== 'connection.changed' || !subject || details.change !== 'removed') return undefined;
    const keep = actor.sessionRef ?? '';
    return {
      sessions_ended: await deleteSessionsOfMethod.run(tx, { userId: subject.id, method: details.provider, keep }),
    };
  },
};

/** The ref of the session in which a user has changed the own password: it stays. */
const keptBy = ({ type, actor, details }: AppEvent): string | undefined =>
  type === 'password.changed' && details.way === 'self' ? actor.sessionRef : undefined;

/** A user who loses all access loses all sessions. */
export const sessionSubscribers: readonly Subscriber[] = [
  onAccessLoss(['all'], async (tx, userId, event) => ({
    sessions_ended: await endSessionsOfUser(tx, userId, keptBy(event)),
  })),
  ofRemovedPasskey,
  ofRemovedLink,
];
