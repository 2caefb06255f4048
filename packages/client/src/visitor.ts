import { AuthUnavailable } from './auth-errors.ts';

/** Who sent a request. */
export interface Visitor {
  userId: number;
  username: string;
  fullName: string;
  role: string;
  /** Address of a picture, or empty. */
  image: string;
  allowedApps: string[];
  /** When the session or token expires; null: never. */
  expiresAt: Date | null;
  via: 'session' | 'token';
  /** Of a token; null for a session. */
  scope: 'read-only' | 'write' | null;
  /** Whether the visitor may use this application. */
  mayUse: boolean;
}

/** An answer of the service: the visitor, and the name of the session or token. */
export interface Found {
  visitor: Visitor;
  ref: string | undefined;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function instantOf(value: unknown): Date | null | undefined {
  if (value === null) return null;
  const date = typeof value === 'string' ? new Date(value) : undefined;
  return date && !Number.isNaN(date.getTime()) ? date : undefined;
}

/**
 * Reads an answer of the service.
 *
 * @returns undefined: no one is signed in
 * @throws AuthUnavailable if the answer is not one of authsvc
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
    throw new AuthUnavailable('The answer does not come from authsvc.');
  const allowedApps = apps.filter((app) => typeof app === 'string');
  const visitor: Visitor = { userId, username, fullName, role, image, allowedApps, expiresAt, via, scope, mayUse };
  return { visitor, ref: typeof ref === 'string' ? ref : undefined };
}

/** A copy, so that no caller changes what another one gets. */
export const copyOf = (visitor: Visitor): Visitor => ({
  ...visitor,
  allowedApps: [...visitor.allowedApps],
  expiresAt: visitor.expiresAt && new Date(visitor.expiresAt),
});
