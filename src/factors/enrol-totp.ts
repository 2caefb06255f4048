import type { DataSealer } from '../db/data-keys.ts';
import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { requireLockedSession } from '../sessions/find-session.ts';
import { lockActiveUser } from '../users/queries.ts';
import type { User } from '../users/user.ts';
import { replaceFactor } from './second-factor.ts';
import { consumeDraft, draftTotp, matchDraft, type TotpDraft } from './totp-draft.ts';

type Needs = Omit<Change, 'actor'> & { dataSealer: DataSealer };

/** The user who sets up an authenticator app, and the session in which it happens. */
interface Enrolment {
  user: Pick<User, 'id' | 'username'>;
  sessionId: string;
}

/**
 * Creates a draft of an authenticator app for a session. It has no effect until `confirmEnrolment`, so an
 * authenticator app that the user already has keeps working.
 *
 * @throws AppError NOT_SIGNED_IN if the session or the user has ended meanwhile
 */
export function startEnrolment(
  { database, dataSealer, now }: Needs,
  { user, sessionId }: Enrolment,
): Promise<TotpDraft> {
  return database.transaction(async (tx) => {
    if (!(await lockActiveUser.first(tx, { id: user.id }))) throw new AppError('NOT_SIGNED_IN');
    await requireLockedSession(tx, { id: sessionId }, now);
    return draftTotp(tx, dataSealer, { userId: user.id, holder: { sessionId }, now });
  });
}

/**
 * Replaces all authenticator apps of the user with the drafted one. The code is marked as used. Subscribers of the
 * event end trusted browsers, other drafts and unfinished sign-ins.
 *
 * @returns ten recovery codes, to be shown once
 * @throws AppError TOTP_NOT_STARTED if there is no draft, after five attempts, or if a concurrent request used the
 * draft; TOTP_CODE_INCORRECT; NOT_SIGNED_IN if the session or the user has ended meanwhile
 * @see OWASP ASVS 5.0 6.5.1, 6.5.2
 */
export async function confirmEnrolment(
  needs: Needs & Pick<Change, 'actor'>,
  { user, sessionId, code }: Enrolment & { code: string },
): Promise<string[]> {
  const { database, dataSealer, now } = needs;
  const draft = await matchDraft(database, dataSealer, { holder: { sessionId }, code, now });
  return database.transaction(async (tx) => {
    if (!(await lockActiveUser.first(tx, { id: user.id }))) throw new AppError('NOT_SIGNED_IN');
    await requireLockedSession(tx, { id: sessionId }, now);
    await consumeDraft(tx, draft);
    return replaceFactor(tx, needs, { user, secret: draft.secret, lastStep: draft.step });
  });
}
