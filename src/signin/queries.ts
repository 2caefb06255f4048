import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';

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

/** Finds an unfinished sign-in that may still be completed. */
export const openSecondStep = defineQuery('secondSteps.open', (db, { id, now }: { id: string; now: number }) =>
  db
    .selectFrom('second_steps')
    .innerJoin('users', 'users.id', 'second_steps.user_id')
    .select((select) => [
      'second_steps.id',
      'second_steps.user_id',
      'second_steps.method',
      'second_steps.redirect',
      'second_steps.attempts_left',
      'users.username',
      'users.role',
      select
        .selectFrom('totp_factors')
        .select('confirmed_at')
        .whereRef('totp_factors.user_id', '=', 'users.id')
        .limit(1)
        .as('second_factor_at'),
    ])
    .where('second_steps.id', '=', id)
    .where('second_steps.attempts_left', '>', 0)
    .where('second_steps.expires_at', '>', now)
    .where('users.deactivated_at', 'is', null),
);

/** Reads how many attempts a sign-in has left, even if it has ended. */
export const guessesLeft = defineQuery('secondSteps.guessesLeft', (db, { id }: { id: string }) =>
  db.selectFrom('second_steps').select('attempts_left').where('id', '=', id),
);

/** Uses up one attempt of a sign-in before its code is checked. Changes nothing if no attempt is left. */
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

/**
 * Locks an unfinished sign-in until the transaction ends. Returns a row count of 0 if it can no longer be completed.
 */
export const lockSecondStep = defineQuery('secondSteps.lock', (db, { id, now }: { id: string; now: number }) =>
  db
    .updateTable('second_steps')
    .set((set) => ({ attempts_left: set.ref('attempts_left') }))
    .where('id', '=', id)
    .where('attempts_left', '>', 0)
    .where('expires_at', '>', now),
);

/** Deletes an unfinished sign-in. Returns a row count of 0 if it no longer exists. */
export const deleteSecondStep = defineQuery('secondSteps.delete', (db, { id }: { id: string }) =>
  db.deleteFrom('second_steps').where('id', '=', id),
);

export const deleteSecondStepsOfUser = defineQuery('secondSteps.deleteOfUser', (db, { userId }: { userId: number }) =>
  db.deleteFrom('second_steps').where('user_id', '=', userId),
);

export const deleteAllSecondSteps = defineQuery('secondSteps.deleteAll', (db) => db.deleteFrom('second_steps'));

/** Deletes some sign-ins that can no longer be completed. */
export const deleteExpiredSecondSteps = defineDynamicQuery(
  'secondSteps.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('second_steps')
      .where(
        'id',
        'in',
        db.selectFrom('second_steps').select('id').where('expires_at', '<=', now).limit(most).$call(skipLocked(kind)),
      ),
);

/** Reads the counted password guesses of a budget. */
export const passwordGuessesOf = defineQuery('passwordGuesses.of', (db, { budget }: { budget: string }) =>
  db.selectFrom('password_guesses').select(['guessed_at', 'over']).where('budget', '=', budget),
);

interface CountedGuesses {
  budget: string;
  /** The times of the guesses, as a JSON array of milliseconds since the epoch. */
  guessedAt: string;
  over: number;
  expiresAt: number;
}

/** Inserts the count of a budget. Returns a row count of 0 if another request has inserted one before. */
export const insertPasswordGuesses = defineQuery('passwordGuesses.insert', (db, guesses: CountedGuesses) =>
  db
    .insertInto('password_guesses')
    .values({
      budget: guesses.budget,
      guessed_at: guesses.guessedAt,
      over: guesses.over,
      expires_at: guesses.expiresAt,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

/** Replaces the count of a budget. Returns a row count of 0 if another request has changed it before. */
export const updatePasswordGuesses = defineQuery(
  'passwordGuesses.update',
  (db, guesses: CountedGuesses & { formerGuessedAt: string; formerOver: number }) =>
    db
      .updateTable('password_guesses')
      .set({ guessed_at: guesses.guessedAt, over: guesses.over, expires_at: guesses.expiresAt })
      .where('budget', '=', guesses.budget)
      .where('guessed_at', '=', guesses.formerGuessedAt)
      .where('over', '=', guesses.formerOver),
);

/** Deletes the count of a budget. Returns a row count of 0 if another request has changed it before. */
export const deletePasswordGuesses = defineQuery(
  'passwordGuesses.delete',
  (db, { budget, guessedAt, over }: Omit<CountedGuesses, 'expiresAt'>) =>
    db
      .deleteFrom('password_guesses')
      .where('budget', '=', budget)
      .where('guessed_at', '=', guessedAt)
      .where('over', '=', over),
);

/** Deletes some counts that no longer matter. */
export const deleteExpiredPasswordGuesses = defineDynamicQuery(
  'passwordGuesses.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('password_guesses')
      .where(
        'budget',
        'in',
        db
          .selectFrom('password_guesses')
          .select('budget')
          .where('expires_at', '<=', now)
          .limit(most)
          .$call(skipLocked(kind)),
      ),
);
