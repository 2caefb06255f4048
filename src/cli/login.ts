import { hostname } from 'node:os';
import { type Client, ClientError, createClient, type Login } from 'authsvc-client/device';
import { CommandFailure } from '../command/command-failure.ts';
import { configFolder, hasDisplay } from '../settings/person.ts';
import { createLoginScreen, openBrowser } from './login-screen.ts';
import { findSavedToken, requirePlace, type SavedToken, saveToken } from './saved-tokens.ts';

export interface LoginOptions {
  server: string;
  profile: string;
  clientName?: string;
  browser: boolean;
}

const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function warnOfPlainHttp(server: string): void {
  const { protocol, hostname: host } = new URL(server);
  if (protocol === 'https:' || LOCAL.test(host)) return;
  process.stderr.write('Warning: this address is not https, so others can read the token on its way.\n');
}

async function askPerson(client: Client, options: LoginOptions, signal: AbortSignal): Promise<Login> {
  const screen = await createLoginScreen(options.server);
  try {
    return await client.login({
      profileKey: options.profile,
      clientName: options.clientName ?? `authsvc on ${hostname()}`,
      signal,
      show: async (pending) => {
        await screen.show(pending);
        const mayOpen = options.browser && process.stderr.isTTY && hasDisplay();
        if (mayOpen) void openBrowser(pending.verificationUrl).catch(() => undefined);
      },
    });
  } finally {
    screen.stop();
  }
}

/** Saves the new token and revokes the token that it replaces. If the new token cannot be saved, revokes the new one. */
async function keepToken(client: Client, folder: string, saved: SavedToken): Promise<void> {
  const end = ({ token }: SavedToken) => client.revokeToken(token).catch(() => undefined);
  try {
    const former = await findSavedToken(folder, saved.server);
    await saveToken(folder, saved);
    if (former) await end(former);
  } catch (error) {
    await end(saved);
    throw error;
  }
}

/**
 * Signs in by device login and saves the token for its server. First checks that a token can be saved. If the login fails,
 * nothing is saved and an earlier token stays.
 *
 * @throws CommandFailure if a token cannot be saved, or if the person denied the login, stopped it or let it expire;
 *   ClientError if the server refused the login or cannot be reached
 */
export async function login(options: LoginOptions): Promise<{ server: string; username: string }> {
  const { server } = options;
  warnOfPlainHttp(server);
  const folder = configFolder();
  await requirePlace(folder);
  const client = createClient({ server });
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop);
  try {
    const { token, username } = await askPerson(client, options, stopping.signal);
    await keepToken(client, folder, { server, username, token });
    return { server, username };
  } catch (error) {
    if (stopping.signal.aborted)
      throw new CommandFailure('Stopped. You are not signed in; the request expires by itself.');
    if (error instanceof ClientError && error.reason === 'denied')
      throw new CommandFailure('The request was denied. You are not signed in.');
    if (error instanceof ClientError && error.reason === 'expired')
      throw new CommandFailure(`${error.message} Run the command again.`);
    throw error;
  } finally {
    process.removeListener('SIGINT', stop);
  }
}
