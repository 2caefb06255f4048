import type { Command } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { textInstant, textTable } from '../command/table.ts';
import { AppError } from '../errors/app-error.ts';
import { getUser } from '../users/find-user.ts';
import { toListed } from './listed-token.ts';
import { listTokens } from './queries.ts';
import { revokeAnyToken } from './revoke-token.ts';

async function list({ database, clock }: CommandServices, name: string | undefined) {
  const userId = name === undefined ? undefined : (await getUser(database, name)).id;
  const tokens = await listTokens.all(database, { userId });
  const now = clock.now();
  const rows = tokens.map((token) => [
    String(token.id),
    token.username,
    token.name,
    token.prefix,
    token.scope,
    toListed(token).allowed_apps.join(','),
    textInstant(token.last_used_at),
    token.expires_at !== null && token.expires_at <= now ? 'expired' : textInstant(token.expires_at),
    token.parent_id === null ? '-' : String(token.parent_id),
  ]);
  const titles = ['ID', 'USERNAME', 'NAME', 'BEGINS WITH', 'SCOPE', 'APPLICATIONS', 'LAST USED', 'UNTIL', 'PARENT'];
  const json = tokens.map((token) => ({ ...toListed(token), username: token.username }));
  return { json, lines: textTable(titles, rows, 'There are no tokens.') };
}

async function revoke({ database, actor }: CommandServices, text: string) {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new AppError('ID_INVALID', { field: 'id' });
  const id = Number(text);
  await revokeAnyToken({ database, actor }, id, 'command');
  return { json: { id, revoked: true }, lines: [`Token ${id} is no longer valid.`] };
}

/** Adds the `authsvc token …` commands. */
export function addTokenCommands(program: Command, context: CommandContext): void {
  const token = program.command('token').description('list and revoke API tokens; changes take effect at once');
  const listing = token.command('list [name]').description('list the tokens of all users, or of one user');
  listing.action(context.action(listing, list));
  const revoking = token
    .command('revoke <id>')
    .description('revoke a token and the tokens that it approved in device logins');
  revoking.action(context.action(revoking, revoke));
}
