import { ClientError, createClient } from 'authsvc-client/device';
import type { Command } from 'commander';
import { CommandFailure } from '../command/command-failure.ts';
import type { CommandResult } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { USAGE } from '../command/refusal-words.ts';
import { textFields, textInstant } from '../command/table.ts';
import { asTyped } from '../settings/as-typed.ts';
import { parseOrigin } from '../settings/parse.ts';
import { configFolder } from '../settings/person.ts';
import { printResult } from './context.ts';
import { type LoginOptions, login } from './login.ts';
import { findSavedToken, forgetToken, type SavedToken, tokensFile } from './saved-tokens.ts';

interface ServerOption {
  server?: string;
}

function parseServer(text: string): string {
  try {
    return parseOrigin(text);
  } catch {
    throw new CommandFailure('--server takes the address of a service, such as https://auth.example.com', USAGE);
  }
}

async function getSavedToken(folder: string, { server }: ServerOption): Promise<SavedToken> {
  const saved = await findSavedToken(folder, server === undefined ? undefined : parseServer(server));
  if (saved) return saved;
  throw new CommandFailure(
    `You are not signed in${server ? ` to ${server}` : ''}. Run: ${asTyped('login --server URL --profile KEY')}`,
  );
}

/** Adds the final full stop that the message of a server may lack. */
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

async function signIn(options: LoginOptions): Promise<CommandResult> {
  const json = await login({ ...options, server: parseServer(options.server) });
  return { json, lines: [`Signed in to ${json.server} as ${json.username}.`] };
}

async function whoami(options: ServerOption): Promise<CommandResult> {
  const { server, token } = await getSavedToken(configFolder(), options);
  const facts = await createClient({ server }).verifyToken(token);
  if (!facts)
    throw new CommandFailure(
      `The token for ${server} is not valid any more. Run: ${asTyped(`login --server ${server} --profile KEY`)}`,
    );
  const { username, scope, allowedApps, expiresAt } = facts;
  const expires_at = expiresAt?.toISOString() ?? null;
  return {
    json: { server, username, scope, allowed_apps: allowedApps, expires_at },
    lines: textFields({
      username,
      server,
      scope,
      applications: allowedApps.join(', ') || '-',
      until: textInstant(expiresAt?.getTime() ?? null),
    }),
  };
}

async function logout(options: ServerOption): Promise<CommandResult> {
  const folder = configFolder();
  const { server, username, token } = await getSavedToken(folder, options);
  await createClient({ server }).revokeToken(token);
  await forgetToken(folder, server);
  return {
    json: { server, username, revoked: true },
    lines: [`Signed out of ${server}. The token is not valid any more.`],
  };
}

/** Runs a command that needs no database, and prints its result. If the server refuses, throws a CommandFailure. */
function actionOf<Options>(command: Command, work: (options: Options) => Promise<CommandResult>) {
  command.option('--json', 'print one JSON value and nothing else');
  return async (options: Options) => {
    const [{ readProxies }, { useProxies }] = await Promise.all([
      import('../settings/proxies.ts'),
      import('../lib/outgoing-proxies.ts'),
    ]);
    await useProxies(readProxies());
    try {
      printResult(await work(options), command.opts().json === true);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      const isValid = error.reason === 'refused' ? '' : ' and stays valid';
      const kept = command.name() === 'logout' ? `The token stays in ${tokensFile(configFolder())}${isValid}.` : '';
      throw new CommandFailure([sentence(error.message), error.hint, kept].filter(Boolean).join(' '));
    }
  };
}

/** Adds the commands `authsvc login`, `whoami` and `logout`. */
export function addPersonCommands(program: Command): void {
  const signingIn = program
    .command('login')
    .description('sign in to a service by approving the request in a browser; saves the token for whoami and logout')
    .requiredOption('--server <url>', 'address of the service')
    .requiredOption('--profile <key>', 'key of a profile of the service (see `authsvc profile`)')
    .option('--client-name <name>', 'name that the approval page shows for this program')
    .option('--no-browser', 'print the address, but do not open a browser');
  addExamples(signingIn, ['authsvc login --server https://auth.example.com --profile backup-tools']);
  signingIn.action(actionOf(signingIn, signIn));
  const asking = program
    .command('whoami')
    .description('show who is signed in with `authsvc login`')
    .option('--server <url>', 'address of the service; default: the service of the latest login');
  asking.action(actionOf(asking, whoami));
  const leaving = program
    .command('logout')
    .description('revoke the token from `authsvc login`, and delete it')
    .option('--server <url>', 'address of the service; default: the service of the latest login');
  leaving.action(actionOf(leaving, logout));
}
