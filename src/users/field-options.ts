import type { Command } from 'commander';
import type { CommandServices } from '../command/context.ts';
import { parseEmailField } from './email.ts';
import { isWebAddress, parseAppNames, parseFullName, parseImage, parseRole } from './fields.ts';

/** The fields of a user as command options. */
export interface FieldOptions {
  fullName?: string;
  role?: string;
  app?: string[];
  image?: string;
  email?: string;
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** Adds the options for the fields of a user to a command. */
export function withFields(command: Command, appWords: string): Command {
  return command
    .option('--full-name <name>', 'display name')
    .option('--role <role>', 'normaluser, superadmin, or another one of the setting ROLES')
    .option('--app <name>', `an application the user may use (may be repeated; ${appWords})`, collect)
    .option('--image <url>', 'address of a picture; empty for none')
    .option('--email <address>', 'e-mail address, which counts as confirmed; empty for none');
}

/**
 * Reads the given fields.
 *
 * @throws AppError FIELD_INVALID, EMAIL_INVALID
 */
export function readFields(options: FieldOptions, { settings, warn }: CommandServices) {
  const image = parseImage(options.image);
  if (image && !isWebAddress(image)) warn('The image is not an http or https address and will not be shown.');
  return {
    fullName: parseFullName(options.fullName),
    role: parseRole(options.role, settings.ROLES),
    apps: parseAppNames(options.app),
    image,
    email: parseEmailField(options.email),
  };
}
