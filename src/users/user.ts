export interface User {
  id: number;
  /** UUID version 4 that identifies the user to applications. It is never reused. */
  sub: string;
  username: string;
  fullName: string;
  /** One of ROLES. Only `superadmin` gives rights in authsvc; the other roles are for applications. */
  role: string;
  allowedApps: string[];
  /** URL of a picture; empty without one. */
  image: string;
  createdAt: number;
  deactivatedAt: number | null;
  lastLoginAt: number | null;
  /** When the user set up a second factor; null without one. */
  secondFactorAt: number | null;
  /** The confirmed e-mail address; null without one. */
  email: string | null;
  hasPassword: boolean;
  /** Increases with each change of the user's fields or credentials. */
  version: number;
}

/** The columns of a user, as the database returns them. */
export interface UserRow {
  id: number;
  sub: string;
  username: string;
  full_name: string;
  role: string;
  allowed_apps: string;
  image: string;
  created_at: number;
  deactivated_at: number | null;
  last_login_at: number | null;
  second_factor_at: number | null;
  email: string | null;
  has_password: number;
  version: number;
}

/** Parses a list of names, which a column stores as JSON. */
export function parseList(json: string): string[] {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function toUser(row: UserRow): User {
  return {
    id: row.id,
    sub: row.sub,
    username: row.username,
    fullName: row.full_name,
    role: row.role,
    allowedApps: parseList(row.allowed_apps),
    image: row.image,
    createdAt: row.created_at,
    deactivatedAt: row.deactivated_at,
    lastLoginAt: row.last_login_at,
    secondFactorAt: row.second_factor_at,
    email: row.email,
    hasPassword: row.has_password === 1,
    version: row.version,
  };
}

/**
 * Returns whether a user may use an application. Letter case in the names of applications does not matter. Superadmins
 * may use every application.
 */
export function mayUseApp(user: { role: string; allowedApps: readonly string[] }, app: string): boolean {
  const wanted = app.toLowerCase();
  return user.role === 'superadmin' || user.allowedApps.some((allowed) => allowed.toLowerCase() === wanted);
}
