import type { UserChange } from '../users/change-user.ts';
import { parseEmailField } from '../users/email.ts';
import { parseAppNames, parseFullName, parseImage, parseRole } from '../users/fields.ts';
import type { UserFields } from './change-schemas.ts';

/**
 * Validates the user fields in a request. Fields that are not given stay undefined.
 *
 * @param roles the setting ROLES
 * @throws AppError FIELD_INVALID, EMAIL_INVALID
 */
export const readUserFields = (fields: UserFields, roles: readonly string[]): UserChange => ({
  fullName: parseFullName(fields.full_name),
  role: parseRole(fields.role, roles),
  apps: parseAppNames(fields.allowed_apps),
  image: parseImage(fields.image),
  email: parseEmailField(fields.email),
  isActive: fields.is_active,
});
