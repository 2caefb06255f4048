import { Type } from 'typebox';

export const logoutRequest = Type.Object({ _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token' })) });

export const doneReply = Type.Object({ success: Type.Literal(true), message: Type.String() });
