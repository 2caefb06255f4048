import { type Static, Type } from 'typebox';
import type { Caller } from '../api-tokens/caller.ts';
import { profileScopes, usualScope } from '../api-tokens/token.ts';
import type { Application } from '../applications/application.ts';
import { oneOf, orNull } from '../http/values.ts';
import { isoOrNull } from '../lib/instant.ts';

/** Accepts any value, because a repeated or invalid value just matches no application. */
export const visitorQuery = Type.Object({
  app: Type.Optional(
    Type.Unknown({ description: 'Key of an application; the reply then says whether the visitor may use it' }),
  ),
});
export type VisitorQuery = Static<typeof visitorQuery>;

/** The signed-in person, in the form that applications get. */
export const visitor = Type.Object({
  user_id: Type.Integer(),
  username: Type.String(),
  full_name: Type.String(),
  role: Type.String(),
  allowed_apps: Type.Array(Type.String()),
  image: Type.String({ description: 'URL of a picture, or an empty string' }),
  expires_at: orNull(
    Type.String({ description: 'When the session or token expires: ISO 8601, UTC; null if it never expires' }),
  ),
  via: oneOf(['session', 'token']),
  scope: oneOf([...profileScopes, null], { description: 'Scope of the API token; null for a session' }),
});

export const visitorReply = Type.Object({
  visitor: Type.Union([visitor, Type.Null()]),
  may_use: Type.Optional(Type.Boolean()),
});
export type VisitorReply = Static<typeof visitorReply>;

/** Converts the caller of a request to the form that applications get. */
export const toVisitor = (caller: Caller): Static<typeof visitor> => ({
  user_id: caller.userId,
  username: caller.username,
  full_name: caller.fullName,
  role: caller.role,
  allowed_apps: caller.allowedApps,
  image: caller.image,
  expires_at: isoOrNull(caller.expiresAt),
  via: caller.via,
  scope: caller.via === 'token' ? usualScope(caller.scope) : null,
});

export const appsReply = Type.Object({
  apps: Type.Array(
    Type.Object({
      key: Type.String(),
      name: Type.String(),
      url: Type.String(),
      icon: orNull(Type.String()),
    }),
  ),
});
export type AppsReply = Static<typeof appsReply>;

/** Converts an application to a list entry with its first URL. Returns no entry for an application without a URL. */
export const toListedApp = ({ key, name, urls: [url], icon }: Application): AppsReply['apps'] =>
  url === undefined ? [] : [{ key, name, url, icon }];
