import { Type } from 'typebox';

export const signedInReply = Type.Object({ success: Type.Literal(true), message: Type.String() });
