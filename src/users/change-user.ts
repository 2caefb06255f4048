import { Refusal } from '../command/refusal.ts';
import type { Handle } from '../db/handle.ts';
import { getUser } from './find-user.ts';
import { updateUser } from './queries.ts';
import { type Role, toUser, type User } from './user.ts';

/** What is to be changed; what is left out stays. */
export interface UserChange {
  fullName?: string | undefined;
  role?: Role | undefined;
  apps?: string[] | undefined;
  image?: string | undefined;
  isActive?: boolean | undefined;
}

/** Changes a user in an open transaction. Throws a Refusal when there is no user of that name. */
export async function changeUser(tx: Handle, name: string, change: UserChange, now: number): Promise<User> {
  const user = await getUser(tx, name);
  const row = await updateUser.first(tx, {
    id: user.id,
    full_name: change.fullName ?? user.fullName,
    role: change.role ?? user.role,
    allowed_apps: JSON.stringify(change.apps ?? user.allowedApps),
    image: change.image ?? user.image,
    deactivated_at: deactivation(user, change.isActive, now),
  });
  if (!row) throw new Refusal(`The user ${JSON.stringify(name)} was removed meanwhile.`);
  return toUser(row);
}

function deactivation(user: User, isActive: boolean | undefined, now: number): number | null {
  if (isActive === undefined) return user.deactivatedAt;
  return isActive ? null : (user.deactivatedAt ?? now);
}
