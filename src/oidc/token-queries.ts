import type { Portion } from '../db/cleaning.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import { skipLocked } from '../db/skip-locked.ts';

interface NewToken {
  hash: string;
  kind: string;
  grantId: string | null;
  applicationId: number;
  scopes: string;
  audience: string | null;
  redirectUri: string | null;
  codeChallenge: string | null;
  startedAt: number;
  now: number;
  expiresAt: number;
}

export const insertToken = defineQuery('oidcTokens.insert', (db, token: NewToken) =>
  db.insertInto('oidc_tokens').values({
    token_hash: token.hash,
    kind: token.kind,
    grant_id: token.grantId,
    application_id: token.applicationId,
    scopes: token.scopes,
    audience: token.audience,
    redirect_uri: token.redirectUri,
    code_challenge: token.codeChallenge,
    started_at: token.startedAt,
    created_at: token.now,
    expires_at: token.expiresAt,
    consumed_at: null,
  }),
);

export const tokenByHash = defineQuery('oidcTokens.byHash', (db, { hash, kind }: { hash: string; kind: string }) =>
  db
    .selectFrom('oidc_tokens')
    .innerJoin('applications', 'applications.id', 'oidc_tokens.application_id')
    .select([
      'oidc_tokens.kind',
      'oidc_tokens.grant_id',
      'oidc_tokens.scopes',
      'oidc_tokens.audience',
      'oidc_tokens.redirect_uri',
      'oidc_tokens.code_challenge',
      'oidc_tokens.started_at',
      'oidc_tokens.created_at',
      'oidc_tokens.expires_at',
      'oidc_tokens.consumed_at',
      'applications.key',
      'applications.is_public',
    ])
    .where('oidc_tokens.token_hash', '=', hash)
    .where('oidc_tokens.kind', '=', kind),
);

/** Marks a code or refresh token as used. The row count is 0 if it was used before. */
export const consumeToken = defineQuery('oidcTokens.consume', (db, { hash, now }: { hash: string; now: number }) =>
  db
    .updateTable('oidc_tokens')
    .set({ consumed_at: now })
    .where('token_hash', '=', hash)
    .where('consumed_at', 'is', null),
);

/** Finds when a refresh token was used. */
export const useOfToken = defineQuery('oidcTokens.use', (db, { hash }: { hash: string }) =>
  db.selectFrom('oidc_tokens').select('consumed_at').where('token_hash', '=', hash),
);

export const deleteToken = defineQuery('oidcTokens.delete', (db, { hash }: { hash: string }) =>
  db.deleteFrom('oidc_tokens').where('token_hash', '=', hash),
);

export const deleteExpiredOidcTokens = defineDynamicQuery(
  'oidcTokens.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('oidc_tokens')
      .where(
        'token_hash',
        'in',
        db
          .selectFrom('oidc_tokens')
          .select('token_hash')
          .where('expires_at', '<=', now)
          .limit(most)
          .$call(skipLocked(kind)),
      ),
);

interface NewRequest {
  hash: string;
  kind: string;
  payload: string;
  now: number;
  expiresAt: number;
}

/** Stores an authorization request. If it is already stored, replaces only its content. */
export const saveRequest = defineQuery('oidcRequests.save', (db, request: NewRequest) =>
  db
    .insertInto('oidc_requests')
    .values({
      id_hash: request.hash,
      kind: request.kind,
      payload: request.payload,
      created_at: request.now,
      expires_at: request.expiresAt,
      consumed_at: null,
    })
    .onConflict((conflict) => conflict.column('id_hash').doUpdateSet({ payload: request.payload })),
);

export const requestByHash = defineQuery('oidcRequests.byHash', (db, { hash, kind }: { hash: string; kind: string }) =>
  db
    .selectFrom('oidc_requests')
    .select(['payload', 'created_at', 'expires_at', 'consumed_at'])
    .where('id_hash', '=', hash)
    .where('kind', '=', kind),
);

export const consumeRequest = defineQuery('oidcRequests.consume', (db, { hash, now }: { hash: string; now: number }) =>
  db
    .updateTable('oidc_requests')
    .set({ consumed_at: now })
    .where('id_hash', '=', hash)
    .where('consumed_at', 'is', null),
);

export const deleteRequest = defineQuery('oidcRequests.delete', (db, { hash }: { hash: string }) =>
  db.deleteFrom('oidc_requests').where('id_hash', '=', hash),
);

export const deleteExpiredRequests = defineDynamicQuery(
  'oidcRequests.deleteExpired',
  (db, { now, most }: Portion, { kind }) =>
    db
      .deleteFrom('oidc_requests')
      .where(
        'id_hash',
        'in',
        db
          .selectFrom('oidc_requests')
          .select('id_hash')
          .where('expires_at', '<=', now)
          .limit(most)
          .$call(skipLocked(kind)),
      ),
);
