import { mayUseApplication } from '../applications/may-use-application.ts';
import type { Transaction } from '../db/handle.ts';
import type { AppEvent } from '../events/event-types.ts';
import type { Subscriber } from '../events/subscriber.ts';
import { parseList } from '../users/user.ts';
import { type EndedGrant, type LogoutParts, queueLogouts } from './logout-queue.ts';
import {
  deleteGrantsAtApplication,
  deleteGrantsOfEndedSessions,
  deleteGrantsOfKinds,
  deleteGrantsOfUser,
  grantHolders,
} from './queries.ts';

/** The kinds of grants that are not bound to a session. */
const lastingKinds = ['offline', 'device'];
/** The kinds of grants that give access. A consent only stores what the user agreed to. */
const accessKinds = ['session', ...lastingKinds];

/** Returns whether an event may have ended sessions. */
const mayEndSessions = ({ type, details }: AppEvent): boolean =>
  type === 'user.signed_in'
    ? details.sessions_ended > 0
    : ['session.ended', 'password.changed', 'factor.changed', 'connection.changed'].includes(type);

/** Returns whether an event ends all access that a user gave to applications. */
function endsAllOfUser(event: AppEvent): boolean {
  if (event.type === 'password.changed') return event.details.way !== 'self';
  // `way` is set only if a passkey replaces the password through a link.
  if (event.type === 'factor.changed') return event.details.way !== undefined;
  if (event.type === 'session.ended') return event.endsAll === true;
  return event.type === 'user.deactivated' || event.type === 'user.removed';
}

/** Ends the grants of users who may no longer use the application. */
async function endGrantsWithoutRight(
  tx: Transaction,
  where: { userId: number } | { key: string },
): Promise<EndedGrant[]> {
  const ended: EndedGrant[] = [];
  for (const holder of await grantHolders.all(tx, where)) {
    const user = { role: holder.role, allowedApps: parseList(holder.allowed_apps) };
    const application = { key: holder.key, roles: parseList(holder.roles), disabledAt: null };
    if (mayUseApplication(user, application)) continue;
    const { user_id: userId, application_id: applicationId } = holder;
    ended.push(...(await deleteGrantsAtApplication.all(tx, { userId, applicationId })));
  }
  return ended;
}

async function endedBy(tx: Transaction, event: AppEvent): Promise<EndedGrant[]> {
  const { subject, type } = event;
  if (type === 'sessions.ended_all') return deleteGrantsOfKinds.all(tx, { kinds: accessKinds });
  if (subject && endsAllOfUser(event)) return deleteGrantsOfUser.all(tx, { userId: subject.id, kinds: accessKinds });
  if (mayEndSessions(event)) {
    // When users change their own password, the current session continues, and so do the grants that are bound to
    // it.
    const isThorough = event.type === 'password.changed' && event.endsAll === true;
    const lasting =
      subject && isThorough ? await deleteGrantsOfUser.all(tx, { userId: subject.id, kinds: lastingKinds }) : [];
    return [...lasting, ...(await deleteGrantsOfEndedSessions.all(tx, {}))];
  }
  if (subject && (type === 'user.updated' || type === 'user.reactivated'))
    return endGrantsWithoutRight(tx, { userId: subject.id });
  if (type === 'application.changed' && event.details.fields.includes('roles'))
    return endGrantsWithoutRight(tx, { key: event.details.key });
  return [];
}

/** Ends the grants that an event makes invalid, and queues logout messages for their applications. */
export const oidcSubscribers = (parts: LogoutParts): readonly Subscriber[] => [
  {
    onEvent: async (tx, event) => {
      const ended = await endedBy(tx, event);
      await queueLogouts(tx, parts, ended);
      return ended.length === 0 ? undefined : { grants_ended: ended.length };
    },
  },
];
