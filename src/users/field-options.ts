import type { Command } from 'commander';
import type { CommandServices } from '../command/context.ts';
import { toPrintable } from '../lib/plain-text.ts';
import { asTyped } from '../settings/as-typed.ts';
import { parseEmailField } from './email.ts';
import { isWebAddress, parseAppNames, parseFullName, parseImage, parseRole } from './fields.ts';
import { listKnownApps, unknownApps } from './registered-apps.ts';

/** The command-line options for the fields of a user. */
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
    .option('--role <role>', 'role of the user: normaluser, superadmin, or another role in the setting ROLES')
    .option('--app <name>', `application that the user may use (may be repeated; ${appWords})`, collect)
    .option('--image <url>', 'URL of a picture; "" for none')
    .option('--email <address>', 'e-mail address, which counts as confirmed; "" for none');
}

type Known = Pick<CommandServices, 'database' | 'settings' | 'warn'>;

/** Warns about each name that belongs to no registered application. */
export async function warnOfUnknownApps(names: readonly string[], { database, settings, warn }: Known): Promise<void> {
  const unknown = names.length === 0 ? [] : unknownApps(names, await listKnownApps(database, settings));
  for (const name of unknown) {
    const shown = toPrintable(JSON.stringify(name));
    warn(`No application ${shown} is registered. Check the spelling, or register it: ${asTyped('app add')}.`);
  }
}

/** Warns if a user with these applications could not sign in to authsvc itself. */
function warnOfLockout(names: readonly string[], { settings, warn }: Known): void {
  if (!names.some((name) => name.toLowerCase() === settings.APP_NAME.toLowerCase()))
    warn(`The list lacks ${settings.APP_NAME} (APP_NAME). Without it, only superadmins can sign in.`);
}

/**
 * Parses the given options to fields of a user.
 *
 * @throws AppError FIELD_INVALID, EMAIL_INVALID
 */
export async function readFields(options: FieldOptions, services: CommandServices) {
  const { settings, warn } = services;
  const image = parseImage(options.image);
  if (image && !isWebAddress(image)) warn('The image is not an http or https address and will not be shown.');
  const fields = {
    fullName: parseFullName(options.fullName),
    role: parseRole(options.role, settings.ROLES),
    apps: parseAppNames(options.app),
    image,
    email: parseEmailField(options.email),
  };
  await warnOfUnknownApps(fields.apps ?? [], services);
  if (fields.apps && fields.role !== 'superadmin') warnOfLockout(fields.apps, services);
  return fields;
}
