import type { Command } from 'commander';
import { getApplication } from '../applications/find-application.ts';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { textInstant, textTable } from '../command/table.ts';
import { changeBy } from '../events/change.ts';
import { isoOrNull } from '../lib/instant.ts';
import { getUser } from '../users/find-user.ts';
import { listKeys, rotateKeys, type SigningKey } from './keys.ts';
import { listGrants, toListedGrant } from './list-grants.ts';
import { withdrawGrant } from './withdraw-grant.ts';

const toKeyJson = ({ id, alg, createdAt, retiresAt }: SigningKey) => ({
  kid: id,
  alg,
  created_at: new Date(createdAt).toISOString(),
  state: retiresAt === null ? 'current' : 'previous',
  retires_at: isoOrNull(retiresAt),
});

function answerKeys(keys: readonly SigningKey[]) {
  const rows = keys.map(toKeyJson).map(({ kid, alg, state, retires_at: until }) => [kid, alg, state, until ?? '-']);
  return {
    json: keys.map(toKeyJson),
    lines: textTable(['KID', 'ALG', 'STATE', 'PUBLISHED UNTIL'], rows, 'There are no keys yet.'),
  };
}

async function showKeys({ database, clock }: CommandServices) {
  const now = clock.now();
  return answerKeys((await listKeys(database)).filter(({ retiresAt }) => retiresAt === null || retiresAt > now));
}

async function rotate(services: CommandServices, { now }: { now?: true }) {
  const change = { ...changeBy(services, services.actor), dataSealer: await services.dataSealer() };
  return answerKeys(await rotateKeys(change, !now));
}

async function showGrants({ database, clock }: CommandServices, name: string | undefined, options: { app?: string }) {
  const user = name === undefined ? undefined : await getUser(database, name);
  const application = options.app === undefined ? undefined : await getApplication(database, options.app);
  const grants = await listGrants(database, { userId: user?.id, key: application?.key }, clock.now());
  const rows = grants.map((grant) => [
    grant.ref,
    grant.username,
    grant.key,
    grant.kind,
    grant.scopes.join(' '),
    textInstant(grant.lastUsedAt),
  ]);
  return {
    json: grants.map((grant) => ({ ...toListedGrant(grant), username: grant.username })),
    lines: textTable(['REF', 'USER', 'APPLICATION', 'KIND', 'SCOPES', 'LAST USED'], rows, 'There are no grants.'),
  };
}

async function revoke(services: CommandServices, ref: string) {
  const { key, username } = await withdrawGrant(services, ref);
  return {
    json: { ref, username, revoked: true },
    lines: [`${key} no longer has access to the account of ${username}.`],
  };
}

/** Adds the commands `authsvc keys …` and `authsvc grant …`. */
export function addOidcCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('list and replace the keys that sign for OpenID Connect');
  const listing = keys
    .command('list')
    .description('list the current signing keys, and the former keys that are still published');
  listing.action(context.action(listing, showKeys));
  const rotating = keys
    .command('rotate')
    .description('create new signing keys and use them at once; the former keys stay published for two hours')
    .option('--now', 'stop publishing the former keys at once, because someone else may have them');
  rotating.action(context.action(rotating, rotate));
  const grant = program
    .command('grant')
    .description('list and revoke the access that people granted to applications with OpenID Connect');
  const showing = grant
    .command('list [name]')
    .description('list the grants of all users, or of one user')
    .option('--app <key>', 'only grants to this application');
  showing.action(context.action(showing, showGrants));
  const revoking = grant
    .command('revoke <ref>')
    .description("revoke a grant and its tokens, and delete the user's consent");
  revoking.action(context.action(revoking, revoke));
  addExamples(showing, ['authsvc grant list ada', 'authsvc grant list --app wiki']);
}
