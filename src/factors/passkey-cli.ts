import type { Command } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { textInstant, textTable } from '../command/table.ts';
import { getUser } from '../users/find-user.ts';
import { passkeysOfUser } from './passkey-queries.ts';
import { toPasskeyJson } from './passkey-schemas.ts';
import { removePasskey } from './remove-passkey.ts';
import { noWayInWarning } from './ways-in.ts';

async function list({ database }: CommandServices, name: string) {
  const user = await getUser(database, name);
  const passkeys = await passkeysOfUser.all(database, { userId: user.id });
  const rows = passkeys.map((passkey) => [
    passkey.ref,
    passkey.name,
    textInstant(passkey.created_at),
    textInstant(passkey.last_used_at),
    passkey.backed_up === 1 ? 'yes' : 'no',
  ]);
  const titles = ['REF', 'NAME', 'SINCE', 'LAST USED', 'BACKED UP'];
  const none = `${user.username} has no passkeys.`;
  return { json: passkeys.map(toPasskeyJson), lines: textTable(titles, rows, none) };
}

async function remove({ database, actor, settings, warn }: CommandServices, name: string, ref: string) {
  const user = await getUser(database, name);
  const { sessionsEnded, wasLastWayIn } = await removePasskey({ database, actor, settings }, user, {
    ref,
    mayBeLast: true,
  });
  if (wasLastWayIn) warn(noWayInWarning(user.username));
  return {
    json: { username: user.username, ref, removed: true },
    lines: [`The passkey is removed. Sessions ended: ${sessionsEnded}.`],
  };
}

/** Adds the commands `authsvc passkey …`. */
export function addPasskeyCommands(program: Command, context: CommandContext): void {
  const group = program.command('passkey').description('list and remove the passkeys of users');
  const listing = group.command('list <name>').description('list the passkeys of a user');
  listing.action(context.action(listing, list));
  const removing = group
    .command('remove <name> <ref>')
    .description('remove a passkey of a user; ends the sessions that were opened with it');
  removing.action(context.action(removing, remove));
}
