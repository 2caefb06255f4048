import { defineDynamicQuery, defineQuery } from '../db/query.ts';

/** The authenticator apps of a user, oldest first. */
export const totpFactorsOfUser = defineQuery('totpFactors.ofUser', (db, { userId }: { userId: number }) =>
  db.selectFrom('totp_factors').select(['id', 'secret', 'last_step']).where('user_id', '=', userId).orderBy('id'),
);

interface NewTotpFactor {
  userId: number;
  secret: string;
  lastStep: number;
  now: number;
}

export const insertTotpFactor = defineQuery('totpFactors.insert', (db, factor: NewTotpFactor) =>
  db.insertInto('totp_factors').values({
    user_id: factor.userId,
    secret: factor.secret,
    last_step: factor.lastStep,
    confirmed_at: factor.now,
  }),
);

export const deleteTotpFactorsOfUser = defineQuery('totpFactors.deleteOfUser', (db, { userId }: { userId: number }) =>
  db.deleteFrom('totp_factors').where('user_id', '=', userId),
);

/**
 * Accepts the code of a time step. The row count decides every race for it, and refuses every earlier step.
 *
 * A stored step beyond `newest`, the newest that could be accepted now, comes from a clock that ran ahead. It refuses
 * nothing.
 */
export const acceptTotpStep = defineQuery(
  'totpFactors.acceptStep',
  (db, { id, secret, step, newest }: { id: number; secret: string; step: number; newest: number }) =>
    db
      .updateTable('totp_factors')
      .set({ last_step: step })
      .where('id', '=', id)
      .where('secret', '=', secret)
      .where((where) => where.or([where('last_step', '<', step), where('last_step', '>', newest)])),
);

/** Replaces a sealed secret by the same secret under the newest key. */
export const renewTotpSecret = defineQuery(
  'totpFactors.renewSecret',
  (db, { id, secret, renewed }: { id: number; secret: string; renewed: string }) =>
    db.updateTable('totp_factors').set({ secret: renewed }).where('id', '=', id).where('secret', '=', secret),
);

/**
 * Counts a guess before its code is looked at. Returns nothing while the account has to wait. A wait beyond `latest`,
 * the longest that can be imposed now, comes from a clock that ran ahead and is ignored.
 */
export const countGuess = defineQuery(
  'factorGuesses.count',
  (db, { userId, now, latest }: { userId: number; now: number; latest: number }) =>
    db
      .insertInto('factor_guesses')
      .values({ user_id: userId, guesses: 1, blocked_until: 0 })
      .onConflict((conflict) =>
        conflict
          .column('user_id')
          .doUpdateSet((set) => ({ guesses: set('factor_guesses.guesses', '+', 1) }))
          .where((where) =>
            where.or([
              where('factor_guesses.blocked_until', '<=', now),
              where('factor_guesses.blocked_until', '>', latest),
            ]),
          ),
      )
      .returning('guesses'),
);

export const blockGuesses = defineQuery(
  'factorGuesses.block',
  (db, { userId, until }: { userId: number; until: number }) =>
    db.updateTable('factor_guesses').set({ blocked_until: until }).where('user_id', '=', userId),
);

export const guessesOfUser = defineQuery('factorGuesses.ofUser', (db, { userId }: { userId: number }) =>
  db.selectFrom('factor_guesses').select('blocked_until').where('user_id', '=', userId),
);

export const deleteGuesses = defineQuery('factorGuesses.delete', (db, { userId }: { userId: number }) =>
  db.deleteFrom('factor_guesses').where('user_id', '=', userId),
);

interface NewTrust {
  hash: string;
  userId: number;
  userAgent: string;
  now: number;
  expiresAt: number;
}

export const insertTrust = defineQuery('trustedBrowsers.insert', (db, trust: NewTrust) =>
  db.insertInto('trusted_browsers').values({
    token_hash: trust.hash,
    user_id: trust.userId,
    user_agent: trust.userAgent,
    created_at: trust.now,
    expires_at: trust.expiresAt,
  }),
);

/** The trust that a user has in a browser, unless it has expired. */
export const activeTrust = defineQuery(
  'trustedBrowsers.live',
  (db, { hash, userId, now }: { hash: string; userId: number; now: number }) =>
    db
      .selectFrom('trusted_browsers')
      .select('token_hash')
      .where('token_hash', '=', hash)
      .where('user_id', '=', userId)
      .where('expires_at', '>', now),
);

export const trustsOfUser = defineQuery(
  'trustedBrowsers.ofUser',
  (db, { userId, now }: { userId: number; now: number }) =>
    db
      .selectFrom('trusted_browsers')
      .select(['user_agent', 'created_at', 'expires_at'])
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .orderBy('created_at'),
);

export const deleteTrustsOfUser = defineQuery('trustedBrowsers.deleteOfUser', (db, { userId }: { userId: number }) =>
  db.deleteFrom('trusted_browsers').where('user_id', '=', userId),
);

/** Deletes some expired trust. */
export const deleteExpiredTrusts = defineDynamicQuery(
  'trustedBrowsers.deleteExpired',
  (db, { now, most }: { now: number; most: number }) =>
    db
      .deleteFrom('trusted_browsers')
      .where(
        'token_hash',
        'in',
        db.selectFrom('trusted_browsers').select('token_hash').where('expires_at', '<=', now).limit(most),
      ),
);

export const insertRecoveryCode = defineQuery(
  'recoveryCodes.insert',
  (db, { hash, userId }: { hash: string; userId: number }) =>
    db.insertInto('recovery_codes').values({ code_hash: hash, user_id: userId }),
);

/** Uses up a recovery code. The row count tells whether it existed. */
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
