import { defineDynamicQuery, defineQuery } from '../db/query.ts';

interface NewSecondStep {
  id: string;
  userId: number;
  method: string;
  redirect: string;
  attempts: number;
  expiresAt: number;
}

export const insertSecondStep = defineQuery('secondSteps.insert', (db, step: NewSecondStep) =>
  db.insertInto('second_steps').values({
    id: step.id,
    user_id: step.userId,
    method: step.method,
    redirect: step.redirect,
    attempts_left: step.attempts,
    expires_at: step.expiresAt,
  }),
);

/** A sign-in that waits for its code and may still be completed. */
export const openSecondStep = defineQuery('secondSteps.open', (db, { id, now }: { id: string; now: number }) =>
  db
    .selectFrom('second_steps')
    .innerJoin('users', 'users.id', 'second_steps.user_id')
    .select([
      'second_steps.id',
      'second_steps.user_id',
      'second_steps.method',
      'second_steps.redirect',
      'second_steps.attempts_left',
      'users.username',
    ])
    .where('second_steps.id', '=', id)
    .where('second_steps.attempts_left', '>', 0)
    .where('second_steps.expires_at', '>', now)
    .where('users.deactivated_at', 'is', null),
);

/** How many guesses a sign-in has left that may be over. */
export const guessesLeft = defineQuery('secondSteps.guessesLeft', (db, { id }: { id: string }) =>
  db.selectFrom('second_steps').select('attempts_left').where('id', '=', id),
);

/** Takes one of the attempts before the code is looked at. Changes nothing when none is left. */
export const consumeAttempt = defineQuery(
  'secondSteps.consumeAttempt',
  (db, { id, now }: { id: string; now: number }) =>
    db
      .updateTable('second_steps')
      .set((set) => ({ attempts_left: set('attempts_left', '-', 1) }))
      .where('id', '=', id)
      .where('attempts_left', '>', 0)
      .where('expires_at', '>', now),
);

export const deleteSecondStepsOfUser = defineQuery('secondSteps.deleteOfUser', (db, { userId }: { userId: number }) =>
  db.deleteFrom('second_steps').where('user_id', '=', userId),
);

export const deleteAllSecondSteps = defineQuery('secondSteps.deleteAll', (db) => db.deleteFrom('second_steps'));

/** Removes some sign-ins that nobody can complete any more. */
export const deleteExpiredSecondSteps = defineDynamicQuery(
  'secondSteps.deleteExpired',
  (db, { now, most }: { now: number; most: number }) =>
    db
      .deleteFrom('second_steps')
      .where('id', 'in', db.selectFrom('second_steps').select('id').where('expires_at', '<=', now).limit(most)),
);

interface NewTrust {
  hash: string;
  userId: number;
  enabledAt: number;
  userAgent: string;
  now: number;
  expiresAt: number;
}

export const insertTrust = defineQuery('trustedDevices.insert', (db, trust: NewTrust) =>
  db.insertInto('trusted_devices').values({
    token_hash: trust.hash,
    user_id: trust.userId,
    totp_enabled_at: trust.enabledAt,
    user_agent: trust.userAgent,
    created_at: trust.now,
    expires_at: trust.expiresAt,
  }),
);

/** The trust in a browser, where it holds for this user and the current enrolment. */
export const activeTrust = defineQuery(
  'trustedDevices.live',
  (db, { hash, userId, enabledAt, now }: { hash: string; userId: number; enabledAt: number; now: number }) =>
    db
      .selectFrom('trusted_devices')
      .select('token_hash')
      .where('token_hash', '=', hash)
      .where('user_id', '=', userId)
      .where('totp_enabled_at', '=', enabledAt)
      .where('expires_at', '>', now),
);

export const trustsOfUser = defineQuery(
  'trustedDevices.ofUser',
  (db, { userId, now }: { userId: number; now: number }) =>
    db
      .selectFrom('trusted_devices')
      .select(['user_agent', 'created_at', 'expires_at'])
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .orderBy('created_at'),
);

export const deleteTrustsOfUser = defineQuery('trustedDevices.deleteOfUser', (db, { userId }: { userId: number }) =>
  db.deleteFrom('trusted_devices').where('user_id', '=', userId),
);

/** Removes some trust that is over. */
export const deleteExpiredTrusts = defineDynamicQuery(
  'trustedDevices.deleteExpired',
  (db, { now, most }: { now: number; most: number }) =>
    db
      .deleteFrom('trusted_devices')
      .where(
        'token_hash',
        'in',
        db.selectFrom('trusted_devices').select('token_hash').where('expires_at', '<=', now).limit(most),
      ),
);

export const insertRecoveryCode = defineQuery(
  'recoveryCodes.insert',
  (db, { hash, userId }: { hash: string; userId: number }) =>
    db.insertInto('recovery_codes').values({ code_hash: hash, user_id: userId }),
);

/** Uses a recovery code up: the row count says whether there was one. */
export const deleteRecoveryCode = defineDynamicQuery(
  'recoveryCodes.use',
  (db, { hashes, userId }: { hashes: string[]; userId: number }) =>
    db.deleteFrom('recovery_codes').where('code_hash', 'in', hashes).where('user_id', '=', userId),
);

export const deleteRecoveryCodesOfUser = defineQuery(
  'recoveryCodes.deleteOfUser',
  (db, { userId }: { userId: number }) => db.deleteFrom('recovery_codes').where('user_id', '=', userId),
);

export const countRecoveryCodes = defineQuery('recoveryCodes.count', (db, { userId }: { userId: number }) =>
  db
    .selectFrom('recovery_codes')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId),
);
