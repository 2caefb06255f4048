import { isoOrNull } from '../lib/instant.ts';
import type { User } from './user.ts';

/** A user as the command line prints it with `--json`. */
export interface UserJson {
  id: number;
  user_id: number;
  sub: string;
  username: string;
  full_name: string;
  role: string;
  is_active: boolean;
  allowed_apps: string[];
  image: string;
  email: string | null;
  has_password: boolean;
  two_factor_enabled: boolean;
  created_at: string;
  last_login_at: string | null;
}

export function toUserJson(user: User): UserJson {
  return {
    id: user.id,
    user_id: user.id,
    sub: user.sub,
    username: user.username,
    full_name: user.fullName,
    role: user.role,
    is_active: user.deactivatedAt === null,
    allowed_apps: user.allowedApps,
    image: user.image,
    email: user.email,
    has_password: user.hasPassword,
    two_factor_enabled: user.secondFactorAt !== null,
    created_at: new Date(user.createdAt).toISOString(),
    last_login_at: isoOrNull(user.lastLoginAt),
  };
}
