import { Type } from 'typebox';

export const terminatedReply = Type.Object({ success: Type.Literal(true), message: Type.String() });

export const superadminSummary = Type.Object({
  success: Type.Literal(true),
  message: Type.String(),
  user: Type.Object({ user_id: Type.Integer(), username: Type.String(), role: Type.String() }),
});
