import { type Static, Type } from 'typebox';
import { orNull } from '../http/values.ts';
import { visitor } from '../visitor/schemas.ts';

const MAX_HEADER = 16 * 1024;

export const visitorQuestion = Type.Object({
  cookie: Type.Optional(Type.String({ maxLength: MAX_HEADER, description: "The visitor's Cookie header" })),
  authorization: Type.Optional(
    Type.String({
      maxLength: MAX_HEADER,
      description: "The visitor's Authorization header; a token in it takes precedence over the cookie",
    }),
  ),
});
export type VisitorQuestion = Static<typeof visitorQuestion>;

/** If no one is signed in, `visitor` is null and the reply has no other field. */
export const visitorAnswer = Type.Object({
  visitor: Type.Union([visitor, Type.Null()]),
  may_use: Type.Optional(Type.Boolean({ description: 'Whether the visitor may use the application' })),
  ref: Type.Optional(
    Type.String({
      description: 'Reference that names the session or token in the event stream of GET /authsvc/api/apps/changes',
    }),
  ),
  expires_at: Type.Optional(
    orNull(Type.String({ description: 'When the session or token expires: ISO 8601, UTC; null if it never expires' })),
  ),
});
export type VisitorAnswer = Static<typeof visitorAnswer>;
