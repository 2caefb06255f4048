import { type Static, Type } from 'typebox';
import { orNull } from '../http/values.ts';
import type { Session } from './session.ts';

export const sessionQuestion = Type.Object({
  session_id: Type.String({
    minLength: 1,
    maxLength: 4096,
    description: 'UUID of a session, or with is_encrypt the value of a session_id cookie',
  }),
  is_encrypt: Type.Optional(Type.Unknown({ description: 'true or "true": session_id is a cookie value' })),
});
export type SessionQuestion = Static<typeof sessionQuestion>;

const expiry = orNull(Type.String({ description: 'ISO 8601, UTC' }));

export const sessionCheck = Type.Object({ session_valid: Type.Boolean(), expiry });

export const sessionProof = Type.Object({
  valid: Type.Boolean(),
  expiry,
  username: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
});

const isoOf = (session: Session): string => new Date(session.expiresAt).toISOString();

export const toCheck = (session: Session | undefined): Static<typeof sessionCheck> =>
  session ? { session_valid: true, expiry: isoOf(session) } : { session_valid: false, expiry: null };

export const toProof = (session: Session | undefined): Static<typeof sessionProof> =>
  session
    ? { valid: true, expiry: isoOf(session), username: session.username, role: session.role }
    : { valid: false, expiry: null };
