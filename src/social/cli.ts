import { Argument, type Command } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { textInstant, textTable } from '../command/table.ts';
import { getUser } from '../users/find-user.ts';
import { linkAccount, unlinkAccount } from './link-account.ts';
import type { ProviderName } from './provider.ts';
import { providers } from './providers/list.ts';
import { listLinks } from './queries.ts';

const isNumber = (accountId: string): boolean => /^[1-9]\d*$/.test(accountId);

/** A name in the place of the number that the code host tells is a link by which nobody ever signs in. */
function warnOfName({ settings, warn }: CommandServices, provider: ProviderName, accountId: string): void {
  if (provider !== 'codehost' || settings.CODEHOST_ID_FIELD !== 'id' || isNumber(accountId)) return;
  warn(
    `${JSON.stringify(accountId)} is no number, and code hosts tell numbers in the field "id" (CODEHOST_ID_FIELD): nobody may be able to sign in by this link. The number of an account on GitHub stands at https://api.github.com/users/NAME`,
  );
}

async function add(services: CommandServices, name: string, provider: ProviderName, providerId: string) {
  const { database, clock } = services;
  const user = await getUser(database, name);
  const accountId = providerId.trim();
  const now = clock.now();
  await linkAccount(database, { provider, accountId, user, now });
  warnOfName(services, provider, accountId);
  return {
    json: {
      provider,
      provider_id: accountId,
      user_id: user.id,
      username: user.username,
      created_at: new Date(now).toISOString(),
    },
    lines: [`The ${provider} account ${accountId} now signs in as ${user.username}.`],
    changed: { user_id: user.id, provider, provider_account: accountId },
  };
}

async function list({ database }: CommandServices, name: string | undefined) {
  const userId = name === undefined ? undefined : (await getUser(database, name)).id;
  const links = await listLinks.all(database, { userId });
  const json = links.map((link) => ({
    provider: link.provider,
    provider_id: link.account_id,
    user_id: link.user_id,
    username: link.username,
    created_at: new Date(link.created_at).toISOString(),
  }));
  const rows = links.map((link) => [link.username, link.provider, link.account_id, textInstant(link.created_at)]);
  return { json, lines: textTable(['USERNAME', 'PROVIDER', 'ACCOUNT', 'SINCE'], rows, 'There are no links.') };
}

async function remove({ database }: CommandServices, name: string, provider: ProviderName) {
  const user = await getUser(database, name);
  await unlinkAccount(database, user, provider);
  return {
    json: { provider, user_id: user.id, username: user.username, removed: true },
    lines: [`${user.username} no longer signs in through ${provider}. Sessions that are open stay open.`],
    changed: { user_id: user.id, provider },
  };
}

const providerArgument = () =>
  new Argument('<provider>', 'where the account is').choices(providers.map(({ name }) => name));

/** Adds `authsvc link …`. */
export function addLinkCommands(program: Command, context: CommandContext): void {
  const link = program.command('link').description('link accounts at providers to users, for signing in through them');
  const adding = link
    .command('add')
    .description('let the owner of an account at a provider sign in as a user')
    .argument('<name>', 'the user')
    .addArgument(providerArgument())
    .argument('<provider-id>', 'the lasting id of the account there: no name and no address');
  adding.action(context.action(adding, add));
  addExamples(adding, [
    'authsvc link add ada codehost 583231                    the number of the account, not its name',
    'authsvc link add ada websso 110169484474386276334       the claim "sub" of the account',
  ]);
  const listing = link.command('list [name]').description('list the links of everybody, or of one user');
  listing.action(context.action(listing, list));
  const removing = link
    .command('remove')
    .description('remove the link of a user to a provider')
    .argument('<name>', 'the user')
    .addArgument(providerArgument());
  removing.action(context.action(removing, remove));
}
