import { type Static, Type } from 'typebox';

/** Accepts values of any type, because an invalid value simply matches no application and no role. */
export const proxyQuery = Type.Object({
  app: Type.Optional(
    Type.Unknown({
      description: 'Key of the application. If absent, the origin of the original URL determines the application',
    }),
  ),
  role: Type.Optional(Type.Unknown({ description: 'Role whose users may pass; may be repeated' })),
});
export type ProxyQuery = Static<typeof proxyQuery>;
