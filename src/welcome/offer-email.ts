import type { Transaction } from '../db/handle.ts';
import { addMail } from '../delivery/mail.ts';
import type { Outbox } from '../delivery/outbox.ts';
import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { DAY_MS } from '../lib/clock.ts';
import { sha256 } from '../lib/digest.ts';
import type { Email } from '../lib/email-address.ts';
import { randomText } from '../lib/random.ts';
import { requireActiveSession } from '../sessions/find-session.ts';
import type { Session } from '../sessions/session.ts';
import type { Settings } from '../settings/table.ts';
import { applyUserChange } from '../users/change-user.ts';
import { deletePendingEmail, insertPendingEmail } from '../users/pending-email-queries.ts';
import { lockActiveUser } from '../users/queries.ts';
import { toUser, type User } from '../users/user.ts';
import { linkMail } from './mail-texts.ts';

const CODE_BYTES = 32;

type OwnSession = Pick<Session, 'id' | 'userId'>;

/** Locks the user of a session, and checks that the session is active. */
async function lockOwner(tx: Transaction, session: OwnSession, now: number): Promise<User> {
  const row = await lockActiveUser.first(tx, { id: session.userId });
  if (!row) throw new AppError('NOT_SIGNED_IN');
  await requireActiveSession(tx, session, now);
  return toUser(row);
}

interface Needs extends Change {
  settings: Settings;
  outbox: Outbox;
  baseUrl: string;
}

/**
 * Mails a link that confirms a new address of a session's user. The current address stays until the link is used. An
 * older unconfirmed address and its link are deleted.
 *
 * @throws AppError NOT_SIGNED_IN if the session has ended or the user is no longer active
 */
export function offerEmail(
  { database, now, actor, settings, outbox, baseUrl }: Needs,
  session: OwnSession,
  { address, key }: Email,
): Promise<void> {
  return database.transaction(async (tx) => {
    const user = await lockOwner(tx, session, now);
    const code = randomText(CODE_BYTES);
    const link = { codeHash: sha256(code), expiresAt: now + DAY_MS };
    await deletePendingEmail.run(tx, { userId: user.id });
    await insertPendingEmail.run(tx, { userId: user.id, email: address, emailKey: key, ...link });
    const details = { fields: ['email_pending'], from: {}, to: {} };
    await recordEvent(tx, { type: 'user.updated', actor, subject: subjectOf(user), details });
    const mail = linkMail(settings, {
      kind: 'email',
      to: address,
      username: user.username,
      link: `${baseUrl}/authsvc/email/${code}`,
      expiresAt: link.expiresAt,
      language: actor.language,
    });
    await addMail(tx, outbox, { mail, link: { ...link, confirmsEmail: true }, now });
  });
}

/**
 * Removes the address of a session's user, and an unconfirmed address. Does nothing if there is neither.
 *
 * @throws AppError NOT_SIGNED_IN if the session has ended or the user is no longer active
 */
export function removeEmail({ database, now, actor }: Change, session: OwnSession): Promise<void> {
  return database.transaction(async (tx) => {
    const user = await lockOwner(tx, session, now);
    const pending = await deletePendingEmail.run(tx, { userId: user.id });
    const after = await applyUserChange(tx, { now, actor }, user, { email: null });
    if (pending === 0 || after.version !== user.version) return;
    const details = { fields: ['email_pending'], from: {}, to: {} };
    await recordEvent(tx, { type: 'user.updated', actor, subject: subjectOf(user), details });
  });
}
