import { addProfile, type NewProfile } from '../../src/device-login/add-profile.ts';
import type { Profile } from '../../src/device-login/profile.ts';
import type { Client, Reply } from './client.ts';
import type { TestApp } from './start-app.ts';

/** Adds a profile, which programs need to sign in. */
export const seedProfile = (app: TestApp, profile: Partial<NewProfile> = {}): Promise<Profile> =>
  addProfile(app.change(), {
    name: 'Command line',
    scope: 'read-only',
    apps: ['authsvc'],
    expiresInDays: 30,
    ...profile,
  });

/** Both codes of a device login. */
export interface Codes {
  userCode: string;
  deviceCode: string;
}

/** Starts a device login as a program does. */
export async function requestToken(program: Client, profileKey: string, clientName = 'laptop'): Promise<Codes> {
  const reply = await program.post('/api/cli/device', { clientName, profileKey });
  if (reply.status !== 201) throw new Error(`the request was refused: ${reply.text}`);
  return { userCode: String(reply.body.user_code), deviceCode: String(reply.body.device_code) };
}

export const poll = (program: Client, { deviceCode }: Codes): Promise<Reply> =>
  program.post('/api/cli/device/token', { device_code: deviceCode });

export const decide = (person: Client, { userCode }: Codes, action: 'approve' | 'deny' = 'approve'): Promise<Reply> =>
  person.post('/api/cli/device/approve', { user_code: userCode, action });

/** Creates an API token by its route. Returns the id and the token from the reply. */
export async function createToken(
  person: Client,
  fields: Record<string, unknown> = {},
): Promise<{ id: number; token: string }> {
  const reply = await person.post('/api/token', { name: 'ci', ...fields });
  if (reply.status !== 201) throw new Error(`no token was made: ${reply.text}`);
  return { id: Number(reply.body.id), token: String(reply.body.token) };
}

export const verify = (client: Client, token: string): Promise<Reply> => client.post('/api/tokens/verify', { token });
