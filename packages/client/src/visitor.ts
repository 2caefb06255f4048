import { AuthUnavailable } from './auth-errors.ts';
import { isObject } from './json-object.ts';

/** The user who sent a request. */
export interface Visitor {
  userId: number;
  username: string;
  fullName: string;
  role: string;
  /** URL of the user's picture; empty if there is none. */
  image: string;
  allowedApps: string[];
  /** When the session or token expires; null if it does not expire. */
  expiresAt: Date | null;
  /** Whether the request carried a session cookie or an API token. */
  via: 'session' | 'token';
  /** Scope of the API token; null for a session. */
  scope: 'read-only' | 'write' | null;
  /** Whether the visitor may use this application. */
  mayUse: boolean;
}

/** A visitor, and the reference that the stream of changes uses for the visitor's session or token. @internal */
export interface Found {
  visitor: Visitor;
  ref: string | undefined;
}

function instantOf(value: unknown): Date | null | undefined {
  if (value === null) return null;
  const date = typeof value === 'string' ? new Date(value) : undefined;
  return date && !Number.isNaN(date.getTime()) ? date : undefined;
}

/**
 * Reads the JSON of a reply about a visitor.
 *
 * @returns undefined if no one is signed in
 * @throws AuthUnavailable if the reply does not come from authsvc
 * @internal
 */
export function readAnswer(answer: Record<string, unknown>): Found | undefined {
  if (answer.visitor === null) return undefined;
  const given = isObject(answer.visitor) ? answer.visitor : {};
  const { user_id: userId, username, full_name: fullName, role, image, allowed_apps: apps, via, scope } = given;
  const { may_use: mayUse, ref } = answer;
  const expiresAt = instantOf(given.expires_at);
  if (
    typeof userId !== 'number' ||
    typeof username !== 'string' ||
    typeof fullName !== 'string' ||
    typeof role !== 'string' ||
    typeof image !== 'string' ||
    !Array.isArray(apps) ||
    expiresAt === undefined ||
    (via !== 'session' && via !== 'token') ||
    (scope !== 'read-only' && scope !== 'write' && scope !== null) ||
    typeof mayUse !== 'boolean'
  )
    throw new AuthUnavailable('The reply does not come from authsvc.');
  const allowedApps = apps.filter((app) => typeof app === 'string');
  const visitor: Visitor = { userId, username, fullName, role, image, allowedApps, expiresAt, via, scope, mayUse };
  return { visitor, ref: typeof ref === 'string' ? ref : undefined };
}

/** Returns a copy of a cached visitor, so that a caller who changes it does not change what other callers receive. @internal */
export const copyOf = (visitor: Visitor): Visitor => ({
  ...visitor,
  allowedApps: [...visitor.allowedApps],
  expiresAt: visitor.expiresAt && new Date(visitor.expiresAt),
});
