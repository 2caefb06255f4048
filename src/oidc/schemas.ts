import { type Static, Type } from 'typebox';
import { foreignReply } from '../http/mount.ts';
import { oneOf } from '../http/values.ts';

/** The discovery document (OpenID Connect Discovery 1.0 §3). */
export const discoveryReply = Type.Record(Type.String(), Type.Unknown());

export const jwksReply = Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) });

export const claimsReply = Type.Object({
  sub: Type.String({ description: 'Permanent id of the user, the same for all applications' }),
  name: Type.Optional(Type.String()),
  preferred_username: Type.Optional(Type.String()),
  picture: Type.Optional(Type.String()),
  updated_at: Type.Optional(Type.Integer({ description: 'Seconds since 1970-01-01T00:00:00Z' })),
  email: Type.Optional(Type.String()),
  email_verified: Type.Optional(Type.Boolean()),
  roles: Type.Optional(Type.Array(Type.String())),
  apps: Type.Optional(Type.Array(Type.String())),
});
export type UserClaims = Static<typeof claimsReply>;

/** The reply of the library. The library also refuses invalid parameters, with the errors of the protocol. */
export const protocolReply = foreignReply('Defined by the protocol');

export const requestParams = Type.Object({
  id: Type.String({ description: 'Id of the waiting authorization request' }),
});
export type RequestParams = Static<typeof requestParams>;

export const requestQuery = Type.Object({
  chosen: Type.Optional(Type.Unknown({ description: '1: the person has already chosen an account' })),
  client_id: Type.Optional(Type.Unknown({ description: 'Key of the application, so that the login page can name it' })),
});
export type RequestQuery = Static<typeof requestQuery>;

export const decisionForm = Type.Object({
  decision: oneOf(['approve', 'deny']),
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the page' })),
});
export type DecisionForm = Static<typeof decisionForm>;

export const listedGrant = Type.Object({
  ref: Type.String({ description: 'Reference that names the grant' }),
  kind: oneOf(['session', 'offline', 'device', 'consent']),
  app: Type.Object({ key: Type.String(), name: Type.String() }),
  scopes: Type.Array(Type.String()),
  created_at: Type.String(),
  last_used_at: Type.String(),
});

/** Accepts any value, because the page itself shows that a code is wrong. */
export const userCodeQuery = Type.Object({ user_code: Type.Optional(Type.Unknown()) });
export type UserCodeQuery = Static<typeof userCodeQuery>;

export const deviceDecisionForm = Type.Object({
  ...decisionForm.properties,
  user_code: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The code, in upper or lower case, with or without the hyphen',
  }),
});
export type DeviceDecisionForm = Static<typeof deviceDecisionForm>;

/** Accepts any value, because the values are checked only after the redirect, as query parameters. */
export const logoutFields = Type.Object({
  id_token_hint: Type.Optional(Type.Unknown()),
  client_id: Type.Optional(Type.Unknown()),
  post_logout_redirect_uri: Type.Optional(Type.Unknown()),
  state: Type.Optional(Type.Unknown()),
});
export type LogoutFields = Static<typeof logoutFields>;
