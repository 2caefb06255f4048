import { Type } from 'typebox';

export const probeParams = Type.Object({ code: Type.String() });

export const probeReply = Type.Object({
  success: Type.Literal(true),
  /** How the request arrived, sealed so that only the sender of the code can read it. */
  arrival: Type.String(),
});
