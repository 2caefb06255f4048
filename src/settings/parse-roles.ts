import type { Parse } from './parse.ts';

/** The roles that always exist: `normaluser` gives no rights in authsvc, `superadmin` gives every right. */
const OWN_ROLES = ['normaluser', 'superadmin'];
const ROLE = /^[a-z][a-z0-9._-]{0,63}$/i;
const MAX_ROLES = 100;

/**
 * Parses the list of roles that a user can have. Returns the two built-in roles first, then the others in their order.
 */
export const parseRoles: Parse<string[]> = (text) => {
  const names = [...new Set([...OWN_ROLES, ...text.split(',').map((name) => name.trim())])];
  const spellings = new Set(names.map((name) => name.toLowerCase()));
  const areFine =
    names.every((name) => ROLE.test(name)) && names.length <= MAX_ROLES && spellings.size === names.length;
  if (!areFine)
    throw new Error(
      `names separated by commas, at most ${MAX_ROLES}, each in one spelling, of at most 64 letters, digits and . _ -, beginning with a letter`,
    );
  return names;
};
