import type { Command } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { textInstant, textTable } from '../command/table.ts';
import { AppError } from '../errors/app-error.ts';
import { changeBy } from '../events/change.ts';
import { noWayInWarning } from '../factors/ways-in.ts';
import type { ProviderSettings } from '../settings/identity-providers.ts';
import { builtInProviderNames } from '../settings/provider-names.ts';
import type { Settings } from '../settings/table.ts';
import { getUser } from '../users/find-user.ts';
import { linkAccount, unlinkAccount } from './link-account.ts';
import { listLinks } from './queries.ts';

const findProvider = ({ identityProviders }: Settings, name: string): ProviderSettings | undefined =>
  identityProviders.find((provider) => provider.name === name);

function refuseUnknown({ identityProviders }: Settings, name: string): never {
  const allowed = identityProviders.map((provider) => provider.name);
  throw new AppError('FIELD_INVALID', { field: 'provider', provider: name, allowed });
}

const isNumber = (accountId: string): boolean => /^[1-9]\d*$/.test(accountId);

/**
 * Warns about an account id that is not a number, if the provider returns the id in the field `id`. Most code hosts
 * return a number there, so a link with a username would never match.
 */
function warnOfName(warn: CommandServices['warn'], provider: ProviderSettings, accountId: string): void {
  if (provider.type !== 'oauth2' || provider.idField !== 'id' || isNumber(accountId)) return;
  warn(
    `${JSON.stringify(accountId)} is not a number. Most code hosts return a number in the field "id" (${provider.keys.ID_FIELD}); if ${provider.label} does, no one can sign in through this link. GitHub shows the number of an account at https://api.github.com/users/NAME`,
  );
}

async function add(services: CommandServices, name: string, provider: string, providerId: string) {
  const { settings, warn, actor } = services;
  const known = findProvider(settings, provider) ?? refuseUnknown(settings, provider);
  const user = await getUser(services.database, name);
  const accountId = providerId.trim();
  const change = changeBy(services, actor);
  await linkAccount(change, { provider, accountId, user });
  warnOfName(warn, known, accountId);
  return {
    json: {
      provider,
      provider_id: accountId,
      user_id: user.id,
      username: user.username,
      created_at: new Date(change.now).toISOString(),
    },
    lines: [`The ${provider} account ${accountId} now signs in as ${user.username}.`],
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

/**
 * Removes a link. The provider may have been removed from the settings since the link was made, so any provider name that
 * has a link is accepted.
 */
async function remove({ database, settings, actor, warn }: CommandServices, name: string, provider: string) {
  const user = await getUser(database, name);
  const links = await listLinks.all(database, { userId: user.id });
  if (!links.some((link) => link.provider === provider) && !findProvider(settings, provider))
    refuseUnknown(settings, provider);
  const { wasLastWayIn } = await unlinkAccount({ database, actor, settings }, user, provider);
  if (wasLastWayIn) warn(noWayInWarning(user.username));
  return {
    json: { provider, user_id: user.id, username: user.username, removed: true },
    lines: [
      `${user.username} can no longer sign in through ${provider}. Sessions that were opened that way have ended.`,
    ],
  };
}

const PROVIDER_WORDS = `the provider: ${builtInProviderNames.join(', ')}, or a name in PROVIDERS`;

/** Adds the command `authsvc link` and its subcommands. */
export function addLinkCommands(program: Command, context: CommandContext): void {
  const link = program.command('link').description('link provider accounts to users, who can then sign in with them');
  const adding = link
    .command('add')
    .description('link a provider account to a user, who can then sign in with it')
    .argument('<name>', 'the user')
    .argument('<provider>', PROVIDER_WORDS)
    .argument('<provider-id>', 'the permanent id of the account at the provider, not its name or e-mail address');
  adding.action(context.action(adding, add));
  addExamples(adding, [
    'authsvc link add ada forge 583231                    OAuth 2.0: the number of the account, not its name',
    'authsvc link add ada corp 110169484474386276334      OpenID Connect: the claim "sub" of the account',
  ]);
  const listing = link.command('list [name]').description('list the provider links of all users, or of one user');
  listing.action(context.action(listing, list));
  const removing = link
    .command('remove')
    .description('remove the link between a user and a provider account')
    .argument('<name>', 'the user')
    .argument('<provider>', PROVIDER_WORDS);
  removing.action(context.action(removing, remove));
}
