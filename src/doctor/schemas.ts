import { Type } from 'typebox';

export const probeParams = Type.Object({ code: Type.String() });

export const probeReply = Type.Object({
  success: Type.Literal(true),
  /** How the request arrived, sealed for the one who sealed the code. */
  arrival: Type.String(),
});
