import type { ExpressionBuilder } from 'kysely';
import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import type { Schema } from '../db/schema.ts';
import { skipLocked } from '../db/skip-locked.ts';
import { hasPassword, secondFactorAt } from '../users/queries.ts';

/** The keys that are available for checking recovery codes. */
export interface KnownKeys {
  /** The ids of the available data keys. */
  keyIds: readonly string[];
  /** Whether the older keys are available, which were derived from session secrets before data keys existed. */
  hasFormerKeys: boolean;
}

/** Returns the condition that a recovery code can be checked with these keys. */
function isUsable(where: ExpressionBuilder<Schema, 'recovery_codes'>, { keyIds, hasFormerKeys }: KnownKeys) {
  const known = keyIds.map((id) => where('recovery_codes.key_id', '=', id));
  return where.or(hasFormerKeys ? [...known, where('recovery_codes.key_id', 'is', null)] : known);
}

/** Lists the authenticator apps of a user, oldest first. */
export const totpFactorsOfUser = defineQuery('totpFactors.ofUser', (db, { userId }: { userId: number }) =>
  db.selectFrom('totp_factors').select(['id', 'secret', 'last_step']).where('user_id', '=', userId).orderBy('id'),
);

/** Lists the authenticator apps of these users, oldest first. */
export const totpFactorsOfUsers = defineDynamicQuery(
  'totpFactors.ofUsers',
  (db, { userIds }: { userIds: readonly number[] }) =>
    db.selectFrom('totp_factors').select(['user_id', 'secret']).where('user_id', 'in', userIds).orderBy('id'),
);

/** Finds a recovery code of a user, even if its key is not available. */
export const anyRecoveryCode = defineQuery('recoveryCodes.any', (db, { userId }: { userId: number }) =>
  db.selectFrom('recovery_codes').select('user_id').where('user_id', '=', userId).limit(1),
);

interface NewTotpFactor {
  userId: number;
  secret: string;
  keyId: string;
  lastStep: number;
  now: number;
}

export const insertTotpFactor = defineQuery('totpFactors.insert', (db, factor: NewTotpFactor) =>
  db.insertInto('totp_factors').values({
    user_id: factor.userId,
    secret: factor.secret,
    key_id: factor.keyId,
    last_step: factor.lastStep,
    confirmed_at: factor.now,
  }),
);

export const deleteTotpFactorsOfUser = defineQuery('totpFactors.deleteOfUser', (db, { userId }: { userId: number }) =>
  db.deleteFrom('totp_factors').where('user_id', '=', userId),
);

/**
 * Marks the code of a time step as used. The row count is 1 for only one of several concurrent requests, and 0 if the
 * step or a later one was used before.
 *
 * A stored step that is later than `newest` (the newest acceptable step) was stored while the clock was ahead. It is
 * ignored.
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

/**
 * Lists every authenticator app, sorted by username. Each row contains the user, and how many recovery codes and
 * trusted browsers the user has.
 */
export const usersWithFactors = defineDynamicQuery(
  'totpFactors.users',
  (db, { now, ...keys }: KnownKeys & { now: number }) =>
    db
      .selectFrom('totp_factors')
      .innerJoin('users', 'users.id', 'totp_factors.user_id')
      .select((select) => [
        'totp_factors.user_id',
        'users.username',
        'totp_factors.key_id',
        'totp_factors.confirmed_at',
        select
          .selectFrom('recovery_codes')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('recovery_codes.user_id', '=', 'totp_factors.user_id')
          .where((where) => isUsable(where, keys))
          .as('recovery_codes'),
        select
          .selectFrom('trusted_browsers')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('trusted_browsers.user_id', '=', 'totp_factors.user_id')
          .where('trusted_browsers.expires_at', '>', now)
          .as('trusted_browsers'),
      ])
      .orderBy('users.username_key')
      .orderBy('totp_factors.id'),
);

/** Lists up to `most` factors that no data key has sealed, sorted by id. */
export const formerTotpFactors = defineQuery(
  'totpFactors.former',
  (db, { after, most }: { after: number; most: number }) =>
    db
      .selectFrom('totp_factors')
      .select(['id', 'secret'])
      .where('key_id', 'is', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(most),
);

/** Stores the same secret, now sealed with a data key. Changes nothing if the secret was replaced meanwhile. */
export const setTotpSecret = defineQuery(
  'totpFactors.setSecret',
  (db, { id, former, secret, keyId }: { id: number; former: string; secret: string; keyId: string }) =>
    db.updateTable('totp_factors').set({ secret, key_id: keyId }).where('id', '=', id).where('secret', '=', former),
);

/** Counts the users who have a factor that none of these keys sealed. */
export const countUnreadableFactors = defineDynamicQuery(
  'totpFactors.countUnreadable',
  (db, { keyIds }: { keyIds: readonly string[] }) =>
    db
      .selectFrom('totp_factors')
      .select(({ fn }) => fn.count<number>('user_id').distinct().as('users'))
      .$if(keyIds.length > 0, (query) =>
        query.where((where) => where.or([where('key_id', 'is', null), where('key_id', 'not in', keyIds)])),
      ),
);

/** The session or the unfinished sign-in in which an authenticator app is being set up. */
export type DraftHolder = { sessionId: string } | { secondStepId: string };

const holderColumns = (holder: DraftHolder) =>
  'sessionId' in holder
    ? { session_id: holder.sessionId, second_step_id: null }
    : { session_id: null, second_step_id: holder.secondStepId };

function isHeldBy(where: ExpressionBuilder<Schema, 'totp_drafts'>, holder: DraftHolder) {
  return 'sessionId' in holder
    ? where('session_id', '=', holder.sessionId)
    : where('second_step_id', '=', holder.secondStepId);
}

interface NewDraft {
  userId: number;
  holder: DraftHolder;
  sealed: string;
  keyId: string;
  attempts: number;
  expiresAt: number;
}

/** Stores a draft. It replaces any earlier draft of the same holder. */
export const putDraft = defineDynamicQuery('totpDrafts.put', (db, { holder, ...draft }: NewDraft) => {
  const secret = {
    secret: draft.sealed,
    key_id: draft.keyId,
    attempts_left: draft.attempts,
    expires_at: draft.expiresAt,
  };
  return db
    .insertInto('totp_drafts')
    .values({ user_id: draft.userId, ...holderColumns(holder), ...secret })
    .onConflict((conflict) =>
      conflict.column('sessionId' in holder ? 'session_id' : 'second_step_id').doUpdateSet(secret),
    );
});

/**
 * Decrements the number of attempts. Call it before the code is checked. Returns no row if there is no draft or no
 * attempt left.
 */
export const consumeDraftAttempt = defineDynamicQuery(
  'totpDrafts.consumeAttempt',
  (db, { holder, now }: { holder: DraftHolder; now: number }) =>
    db
      .updateTable('totp_drafts')
      .set((set) => ({ attempts_left: set('attempts_left', '-', 1) }))
      .where((where) => isHeldBy(where, holder))
      .where('attempts_left', '>', 0)
      .where('expires_at', '>', now)
      .returning(['id', 'secret']),
);

/** Returns the draft of a holder, if it has not expired and has attempts left. */
export const draftOfHolder = defineDynamicQuery(
  'totpDrafts.ofHolder',
  (db, { holder, now }: { holder: DraftHolder; now: number }) =>
    db
      .selectFrom('totp_drafts')
      .select(['secret', 'expires_at'])
      .where((where) => isHeldBy(where, holder))
      .where('attempts_left', '>', 0)
      .where('expires_at', '>', now),
);

/**
 * Deletes a draft, unless it was replaced meanwhile. The row count is 1 for only one of several concurrent
 * requests.
 */
export const deleteDraft = defineQuery('totpDrafts.delete', (db, { id, secret }: { id: number; secret: string }) =>
  db.deleteFrom('totp_drafts').where('id', '=', id).where('secret', '=', secret),
);

export const deleteDraftsOfUser = defineQuery('totpDrafts.deleteOfUser', (db, { userId }: { userId: number }) =>
  db.deleteFrom('totp_drafts').where('user_id', '=', userId),
);

/** Deletes up to `most` expired drafts. */
export const deleteExpiredDrafts = defineDynamicQuery(
  'totpDrafts.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('totp_drafts')
      .where(
        'id',
        'in',
        db.selectFrom('totp_drafts').select('id').where('expires_at', '<=', now).limit(most).$call(skipLocked(kind)),
      ),
);

/**
 * Counts a guess before its code is checked. Returns no row while the account must wait. A wait that ends after
 * `latest` (the end of the longest possible wait) was stored while the clock was ahead. It is ignored.
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

/** Finds a user's trust in a browser by the hash of its token, unless the trust has expired. */
export const activeTrust = defineQuery(
  'trustedBrowsers.live',
  (db, { hash, userId, now }: { hash: string; userId: number; now: number }) =>
    db
      .selectFrom('trusted_browsers')
      .select('expires_at')
      .where('token_hash', '=', hash)
      .where('user_id', '=', userId)
      .where('expires_at', '>', now),
);

/** Lists the providers where a user has a linked account. */
export const providersOfUser = defineQuery('links.providersOfUser', (db, { userId }: { userId: number }) =>
  db.selectFrom('provider_links').select('provider').where('user_id', '=', userId).orderBy('provider'),
);

/**
 * Returns how the user of a session can confirm the session (except through a provider), and the time until which the
 * session is confirmed.
 */
export const confirmationFacts = defineQuery(
  'confirmation.facts',
  (db, { sessionId, userId }: { sessionId: string; userId: number }) =>
    db
      .selectFrom('users')
      .select((select) => [
        'users.id',
        secondFactorAt(select),
        hasPassword(select),
        select
          .selectFrom('passkeys')
          .select('ref')
          .whereRef('passkeys.user_id', '=', 'users.id')
          .limit(1)
          .as('passkey_ref'),
        select
          .selectFrom('sessions')
          .select('confirmed_until')
          .where('sessions.id', '=', sessionId)
          .as('confirmed_until'),
      ])
      .where('users.id', '=', userId),
);

export const trustsOfUser = defineQuery(
  'trustedBrowsers.ofUser',
  (db, { userId, now }: { userId: number; now: number }) =>
    db
      .selectFrom('trusted_browsers')
      .select(['token_hash', 'user_agent', 'created_at', 'expires_at'])
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .orderBy('created_at'),
);

export const deleteTrust = defineQuery('trustedBrowsers.delete', (db, { hash }: { hash: string }) =>
  db.deleteFrom('trusted_browsers').where('token_hash', '=', hash),
);

export const deleteTrustsOfUser = defineQuery('trustedBrowsers.deleteOfUser', (db, { userId }: { userId: number }) =>
  db.deleteFrom('trusted_browsers').where('user_id', '=', userId),
);

/** Deletes up to `most` expired trusted browsers. */
export const deleteExpiredTrusts = defineDynamicQuery(
  'trustedBrowsers.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('trusted_browsers')
      .where(
        'token_hash',
        'in',
        db
          .selectFrom('trusted_browsers')
          .select('token_hash')
          .where('expires_at', '<=', now)
          .limit(most)
          .$call(skipLocked(kind)),
      ),
);

export const insertRecoveryCode = defineQuery(
  'recoveryCodes.insert',
  (db, { hash, userId, keyId }: { hash: string; userId: number; keyId: string }) =>
    db.insertInto('recovery_codes').values({ code_hash: hash, user_id: userId, key_id: keyId }),
);

/** Deletes a recovery code, so that it can be used only once. The row count is 0 if it did not exist. */
export const deleteRecoveryCode = defineDynamicQuery(
  'recoveryCodes.use',
  (db, { hashes, userId }: { hashes: string[]; userId: number }) =>
    db.deleteFrom('recovery_codes').where('code_hash', 'in', hashes).where('user_id', '=', userId),
);

export const deleteRecoveryCodesOfUser = defineQuery(
  'recoveryCodes.deleteOfUser',
  (db, { userId }: { userId: number }) => db.deleteFrom('recovery_codes').where('user_id', '=', userId),
);

/** Counts the recovery codes of a user that can be checked with these keys. */
export const countRecoveryCodes = defineDynamicQuery(
  'recoveryCodes.count',
  (db, { userId, ...keys }: KnownKeys & { userId: number }) =>
    db
      .selectFrom('recovery_codes')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .where((where) => isUsable(where, keys)),
);

export const anyFormerRecoveryCode = defineQuery('recoveryCodes.anyFormer', (db) =>
  db.selectFrom('recovery_codes').select('user_id').where('key_id', 'is', null).limit(1),
);

export const formerRecoveryKeys = defineQuery('formerRecoveryKeys.all', (db) =>
  db.selectFrom('former_recovery_keys').select('sealed_key'),
);

/**
 * Stores a key that recovery codes were hashed with before data keys existed. Changes nothing if it is already
 * stored.
 */
export const insertFormerRecoveryKey = defineQuery(
  'formerRecoveryKeys.insert',
  (db, { id, sealed }: { id: string; sealed: string }) =>
    db
      .insertInto('former_recovery_keys')
      .values({ id, sealed_key: sealed })
      .onConflict((conflict) => conflict.doNothing()),
);
