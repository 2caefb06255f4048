import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';

interface NewChallenge {
  challengeHash: string;
  purpose: string;
  browser: string;
  sessionId: string | null;
  expiresAt: number;
}

export const insertChallenge = defineQuery('passkeyChallenges.insert', (db, challenge: NewChallenge) =>
  db.insertInto('passkey_challenges').values({
    challenge_hash: challenge.challengeHash,
    purpose: challenge.purpose,
    browser: challenge.browser,
    session_id: challenge.sessionId,
    expires_at: challenge.expiresAt,
  }),
);

/** Deletes and returns a challenge. Of two concurrent requests, only one gets the row. */
export const takeChallenge = defineQuery('passkeyChallenges.take', (db, { challengeHash }: { challengeHash: string }) =>
  db
    .deleteFrom('passkey_challenges')
    .where('challenge_hash', '=', challengeHash)
    .returning(['purpose', 'browser', 'session_id', 'expires_at']),
);

/** Deletes up to `most` expired challenges. */
export const deleteExpiredChallenges = defineDynamicQuery(
  'passkeyChallenges.deleteExpired',
  (db, { now, most }: { now: number; most: number }, { kind }) =>
    db
      .deleteFrom('passkey_challenges')
      .where(
        'challenge_hash',
        'in',
        db
          .selectFrom('passkey_challenges')
          .select('challenge_hash')
          .where('expires_at', '<=', now)
          .limit(most)
          .$call(skipLocked(kind)),
      ),
);

/** Stores a WebAuthn user handle. Changes nothing if the user already has one. */
export const insertHandle = defineQuery(
  'passkeyHandles.insert',
  (db, { userId, handle }: { userId: number; handle: string }) =>
    db
      .insertInto('passkey_handles')
      .values({ user_id: userId, handle })
      .onConflict((conflict) => conflict.doNothing()),
);

export const handleOfUser = defineQuery('passkeyHandles.ofUser', (db, { userId }: { userId: number }) =>
  db.selectFrom('passkey_handles').select('handle').where('user_id', '=', userId),
);

interface ImportedPasskey {
  ref: string;
  userId: number;
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: string;
  name: string;
  rpId: string;
  now: number;
}

interface NewPasskey extends ImportedPasskey {
  aaguid: string;
  backedUp: number;
}

const passkeyColumns = (passkey: ImportedPasskey) => ({
  ref: passkey.ref,
  user_id: passkey.userId,
  credential_id: passkey.credentialId,
  public_key: passkey.publicKey,
  counter: passkey.counter,
  transports: passkey.transports,
  name: passkey.name,
  rp_id: passkey.rpId,
  created_at: passkey.now,
  last_used_at: null,
});

/** Adds a passkey. Changes nothing if any user already has a passkey with this credential id. */
export const insertPasskey = defineQuery('passkeys.insert', (db, passkey: NewPasskey) =>
  db
    .insertInto('passkeys')
    .values({ ...passkeyColumns(passkey), aaguid: passkey.aaguid, backed_up: passkey.backedUp })
    .onConflict((conflict) => conflict.doNothing()),
);

/** Finds a passkey by its credential id, with its user. */
export const passkeyByCredential = defineQuery(
  'passkeys.byCredential',
  (db, { credentialId }: { credentialId: string }) =>
    db
      .selectFrom('passkeys')
      .innerJoin('users', 'users.id', 'passkeys.user_id')
      .leftJoin('passkey_handles', 'passkey_handles.user_id', 'passkeys.user_id')
      .select(({ fn }) => [
        'passkeys.ref',
        'passkeys.user_id',
        'passkeys.public_key',
        'passkeys.rp_id',
        fn.coalesce('passkeys.user_handle', 'passkey_handles.handle').as('handle'),
        'users.role',
        'users.allowed_apps',
        'users.deactivated_at',
      ])
      .where('passkeys.credential_id', '=', credentialId),
);

/**
 * Records the use of a passkey. Changes nothing if the counter did not increase, because then two authenticators
 * have the same key. A passkey whose stored and new counters are both 0 has no counter, and its use is recorded.
 *
 * @see Web Authentication Level 3 §6.1.1
 */
export const recordPasskeyUse = defineQuery(
  'passkeys.recordUse',
  (db, { ref, counter, backedUp, now }: { ref: string; counter: number; backedUp: number; now: number }) =>
    db
      .updateTable('passkeys')
      .set({ counter, backed_up: backedUp, last_used_at: now })
      .where('ref', '=', ref)
      .where((where) =>
        where.or([
          where('counter', '<', counter),
          where.and([where('counter', '=', 0), where('counter', '=', counter)]),
        ]),
      ),
);

/**
 * Stores the user handle that the authenticator of an imported passkey uses. Changes nothing if the passkey already
 * has one.
 */
export const adoptHandle = defineQuery('passkeys.adoptHandle', (db, { ref, handle }: { ref: string; handle: string }) =>
  db.updateTable('passkeys').set({ user_handle: handle }).where('ref', '=', ref).where('user_handle', '=', ''),
);

/**
 * Adds a passkey that was created for another service. Changes nothing if any user already has a passkey with this
 * credential id.
 */
export const insertImportedPasskey = defineQuery('passkeys.import', (db, passkey: ImportedPasskey) =>
  db
    .insertInto('passkeys')
    .values({ ...passkeyColumns(passkey), aaguid: '', backed_up: 0, user_handle: '' })
    .onConflict((conflict) => conflict.doNothing()),
);

/** Returns the passkeys of these users, for an export. */
export const passkeysOfUsers = defineDynamicQuery(
  'passkeys.ofUsers',
  (db, { userIds }: { userIds: readonly number[] }) =>
    db
      .selectFrom('passkeys')
      .select(['user_id', 'credential_id', 'public_key', 'counter', 'name', 'transports', 'created_at'])
      .where('user_id', 'in', userIds)
      .orderBy('created_at')
      .orderBy('credential_id'),
);

/** Finds the id of the user who has the passkey with a credential id. */
export const ownerOfCredential = defineQuery('passkeys.owner', (db, { credentialId }: { credentialId: string }) =>
  db.selectFrom('passkeys').select('user_id').where('credential_id', '=', credentialId),
);

export const storedPasskey = defineQuery('passkeys.stored', (db, { ref }: { ref: string }) =>
  db.selectFrom('passkeys').select('ref').where('ref', '=', ref),
);

/** Lists the passkeys of a user, newest first. */
export const passkeysOfUser = defineQuery('passkeys.ofUser', (db, { userId }: { userId: number }) =>
  db
    .selectFrom('passkeys')
    .select(['ref', 'credential_id', 'transports', 'name', 'backed_up', 'created_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('ref'),
);

export const renamePasskey = defineQuery(
  'passkeys.rename',
  (db, { ref, userId, name }: { ref: string; userId: number; name: string }) =>
    db.updateTable('passkeys').set({ name }).where('ref', '=', ref).where('user_id', '=', userId),
);

export const deletePasskey = defineQuery('passkeys.delete', (db, { ref, userId }: { ref: string; userId: number }) =>
  db.deleteFrom('passkeys').where('ref', '=', ref).where('user_id', '=', userId),
);

/** Finds an RP id other than `rpId` to which at least one passkey is bound. */
export const foreignRpId = defineQuery('passkeys.foreignRpId', (db, { rpId }: { rpId: string }) =>
  db.selectFrom('passkeys').select('rp_id').where('rp_id', '!=', rpId).limit(1),
);

/**
 * Returns the ways in which a user could sign in. There is one row per linked account, or a single row if there is
 * no linked account.
 */
export const credentialsOfUser = defineQuery('users.credentials', (db, { userId }: { userId: number }) =>
  db
    .selectFrom('users')
    .leftJoin('provider_links', 'provider_links.user_id', 'users.id')
    .select((select) => [
      'users.password_hash',
      'provider_links.provider',
      select
        .selectFrom('passkeys')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('passkeys.user_id', '=', 'users.id')
        .as('passkeys'),
    ])
    .where('users.id', '=', userId),
);
