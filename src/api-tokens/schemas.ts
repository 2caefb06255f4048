import { type Static, Type } from 'typebox';
import { oneOf, orNull } from '../http/values.ts';
import { isoOrNull } from '../lib/instant.ts';
import type { ActiveToken } from './find-token.ts';
import type { IssuedToken } from './issue-token.ts';
import { MAX_LIFE_DAYS, TOKEN_PATTERN, tokenScopes } from './token.ts';

/** A row id in a path: at most 15 digits, so that JavaScript represents the number exactly. */
export const idParams = Type.Object({ id: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }) });

const appName = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });
const instant = Type.String({ description: 'ISO 8601, UTC' });
const instantOrNull = orNull(instant);
const done = Type.Literal(true);

export const tokenRequest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255, description: 'What the token is for' }),
  scope: Type.Optional(
    oneOf(tokenScopes, {
      description:
        'Default: read-only. The scope admin gives access to the JSON routes of the console; only superadmins can request it',
    }),
  ),
  expiresDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIFE_DAYS,
      description: 'Lifetime in days. Default: 90. With scope admin at most 30, which is then the default',
    }),
  ),
  allowed_apps: Type.Optional(
    Type.Array(appName, {
      maxItems: 100,
      description:
        'Applications that the token is for. If absent: all applications that the user may use, including future ones',
    }),
  ),
});
export type TokenRequest = Static<typeof tokenRequest>;

export const createdToken = Type.Object({
  success: done,
  token: Type.String({ description: 'Shown only in this reply' }),
  prefix: Type.String(),
  name: Type.String(),
  id: Type.Integer(),
});

const tokenText = Type.String({ maxLength: 100, pattern: TOKEN_PATTERN });
export const tokenQuestion = Type.Object({ token: tokenText });
export type TokenQuestion = Static<typeof tokenQuestion>;
/** The token to check. If the body has none, it is the bearer credential of the request. */
export const bearerQuestion = Type.Object({ token: Type.Optional(tokenText) });
export type BearerQuestion = Static<typeof bearerQuestion>;

export const tokenProof = Type.Object({
  success: Type.Boolean(),
  tokenValid: Type.Boolean(),
  message: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  permissions: Type.Optional(Type.Object({ scope: Type.String(), allowed_apps: Type.Array(Type.String()) })),
  expiresAt: Type.Optional(instantOrNull),
});
export type TokenProof = Static<typeof tokenProof>;

export const doneReply = Type.Object({ success: done, message: Type.String() });
export type DoneReply = Static<typeof doneReply>;

export const listedToken = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  token_prefix: Type.String(),
  scope: Type.String(),
  allowed_apps: Type.Array(Type.String()),
  created_at: instant,
  last_used_at: instantOrNull,
  expires_at: instantOrNull,
  parent_id: orNull(
    Type.Integer({
      description:
        'Id of the token that approved this token in a device login. When that token is revoked, this token ends too',
    }),
  ),
});

export const toCreated = ({ token, prefix, name, id }: IssuedToken): Static<typeof createdToken> => ({
  success: true,
  token,
  prefix,
  name,
  id,
});

/** Converts a token to JSON. The reply is the same for every invalid token, so it does not reveal why. */
export function toProof(token: ActiveToken | undefined): TokenProof {
  if (!token) return { success: false, tokenValid: false, message: 'Invalid or expired API token' };
  const { username, scope, allowedApps, expiresAt } = token;
  return {
    success: true,
    tokenValid: true,
    username,
    permissions: { scope, allowed_apps: allowedApps },
    expiresAt: isoOrNull(expiresAt),
  };
}
