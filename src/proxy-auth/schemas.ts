import { type Static, Type } from 'typebox';

/** Accepts values of any type, because an invalid value simply matches no application and no role. */
export const proxyQuery = Type.Object({
  app: Type.Optional(Type.Unknown({ description: 'Key of the application; without it, the origin decides' })),
  role: Type.Optional(Type.Unknown({ description: 'A role that may pass; may be repeated' })),
});
export type ProxyQuery = Static<typeof proxyQuery>;
