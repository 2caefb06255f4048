import type { Parse } from './parse.ts';

/** Always there: users without rights, and those with every right in authsvc. */
const OWN_ROLES = ['normaluser', 'superadmin'];
const ROLE = /^[a-z][a-z0-9_-]{0,63}$/;
const MAX_ROLES = 100;

/** The roles that a user can have, in the order given, after the two that are always there. */
export const parseRoles: Parse<string[]> = (text) => {
  const names = text.split(',').map((name) => name.trim());
  const areFine = names.every((name) => ROLE.test(name)) && names.length <= MAX_ROLES;
  if (!areFine)
    throw new Error(
      `names separated by commas, at most ${MAX_ROLES}, each of at most 64 characters of a-z, 0-9, _ and -, beginning with a letter`,
    );
  return [...new Set([...OWN_ROLES, ...names])];
};
