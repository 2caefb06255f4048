import { type Static, Type } from 'typebox';

/** OpenID Connect Discovery 1.0 §3. */
export const discoveryReply = Type.Record(Type.String(), Type.Unknown());

export const jwksReply = Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) });

export const claimsReply = Type.Object({
  sub: Type.String({ description: 'The user, by the same name for all applications' }),
  name: Type.Optional(Type.String()),
  preferred_username: Type.Optional(Type.String()),
  picture: Type.Optional(Type.String()),
  updated_at: Type.Optional(Type.Integer({ description: 'Seconds' })),
  email: Type.Optional(Type.String()),
  email_verified: Type.Optional(Type.Boolean()),
  roles: Type.Optional(Type.Array(Type.String())),
  apps: Type.Optional(Type.Array(Type.String())),
});
export type UserClaims = Static<typeof claimsReply>;

/** Odd parameters are refused by the library, in the words of the protocol. */
export const protocolReply = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'As the protocol has it',
});

export const requestParams = Type.Object({ id: Type.String({ description: 'Names the request that waits' }) });
export type RequestParams = Static<typeof requestParams>;

export const requestQuery = Type.Object({
  chosen: Type.Optional(Type.Unknown({ description: '1: the person has chosen the account' })),
});
export type RequestQuery = Static<typeof requestQuery>;

export const decisionForm = Type.Object({
  decision: Type.Unsafe<'approve' | 'deny'>({ type: 'string', enum: ['approve', 'deny'] }),
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the page' })),
});
export type DecisionForm = Static<typeof decisionForm>;
