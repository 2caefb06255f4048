import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { columns } from '../users/queries.ts';

/** One user with what the second step needs. */
export const userForSecondStep = defineQuery('users.forSecondStep', (db, { id }: { id: number }) =>
  db
    .selectFrom('users')
    .select([...columns, 'totp_secret', 'totp_blocked_until'])
    .where('id', '=', id)
    .where('deactivated_at', 'is', null),
);

/** Holds a user's row until the transaction ends; answers the second factor, and the step of its last used code. */
export const lockTotp = defineQuery('users.lockTotp', (db, { id }: { id: number }) =>
  db
    .updateTable('users')
    .set((set) => ({ totp_guesses: set.ref('totp_guesses') }))
    .where('id', '=', id)
    .returning(['totp_secret', 'totp_last_step']),
);

/** Puts a second factor in place of any former one. */
export const setTotp = defineQuery(
  'users.setTotp',
  (db, { id, secret, lastStep, now }: { id: number; secret: string; lastStep: number; now: number }) =>
    db
      .updateTable('users')
      .set({
        totp_secret: secret,
        totp_enabled_at: now,
        totp_last_step: lastStep,
        totp_guesses: 0,
        totp_blocked_until: 0,
      })
      .where('id', '=', id),
);

export const clearTotp = defineQuery('users.clearTotp', (db, { id }: { id: number }) =>
  db
    .updateTable('users')
    .set({ totp_secret: null, totp_enabled_at: null, totp_last_step: 0, totp_guesses: 0, totp_blocked_until: 0 })
    .where('id', '=', id)
    .where('totp_enabled_at', 'is not', null),
);

/** Counts a guess before it is looked at. Changes nothing while the user has to wait. */
export const consumeTotpGuess = defineQuery('users.consumeTotpGuess', (db, { id, now }: { id: number; now: number }) =>
  db
    .updateTable('users')
    .set((set) => ({ totp_guesses: set('totp_guesses', '+', 1) }))
    .where('id', '=', id)
    .where('totp_blocked_until', '<=', now)
    .returning('totp_guesses'),
);

export const blockTotp = defineQuery('users.blockTotp', (db, { id, until }: { id: number; until: number }) =>
  db.updateTable('users').set({ totp_blocked_until: until }).where('id', '=', id),
);

/** Accepts the code of a time step: the only winner of any race for it, and for every earlier one. */
export const acceptTotpStep = defineQuery(
  'users.acceptTotpStep',
  (db, { id, sealed, step }: { id: number; sealed: string; step: number }) =>
    db
      .updateTable('users')
      .set({ totp_last_step: step })
      .where('id', '=', id)
      .where('totp_secret', '=', sealed)
      .where('totp_last_step', '<', step),
);

/** Forgives the guesses, and keeps the secret sealed by the newest key. */
export const resetTotpGuesses = defineQuery(
  'users.resetTotpGuesses',
  (db, { id, sealed }: { id: number; sealed: string }) =>
    db.updateTable('users').set({ totp_guesses: 0, totp_blocked_until: 0, totp_secret: sealed }).where('id', '=', id),
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
