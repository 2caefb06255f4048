import { type Static, Type } from 'typebox';

export const signedInReply = Type.Object({ success: Type.Literal(true), message: Type.String() });

export const serviceInfo = Type.Object({
  version: Type.String(),
  /** Null if the newest version is unknown, for example because UPDATE_CHECK=off. */
  latest_version: Type.Union([Type.String(), Type.Null()]),
  update_available: Type.Boolean(),
  config: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
});

export type ServiceInfo = Static<typeof serviceInfo>;
