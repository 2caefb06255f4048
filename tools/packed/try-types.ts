// Is compiled against the types of the installed client, as a user's program is.
import { type Auth, type AuthRefused, type AuthUnavailable, createAuth, type Visitor } from 'authsvc-client';
import { type AdminError, createAdmin, type User } from 'authsvc-client/admin';
import { type ClientError, createClient, type Login, type TokenFacts } from 'authsvc-client/device';

const client = createClient({ server: 'https://auth.example.com' });
export const login: Promise<Login> = client.login({ profileKey: 'key', clientName: 'name', show: () => undefined });
export const facts: Promise<TokenFacts | undefined> = client.verifyToken(undefined);
export const statusOf = (error: ClientError): number | undefined => error.status;
// @ts-expect-error: the reply of a session check has no token scope
void client.verifySession('x').then((session) => session?.scope);

const auth: Auth = createAuth({ server: 'https://auth.example.com', app: 'portal', secret: undefined });
export const visitor: Promise<Visitor | undefined> = auth.visitor(new Headers(), { tokens: true });
export const waitOf = (error: AuthUnavailable): number | undefined => error.retryAfterSeconds;
export const codeOf = (error: AuthRefused): string => error.code;

const admin = createAdmin({ server: 'https://auth.example.com', token: 'tok_x' });
export const users: AsyncGenerator<User> = admin.all('GET /users', { q: 'ada', limit: 200 });
export const emailOf = async (id: number): Promise<string | null> =>
  (await admin.call('GET /users/:id', { id })).user.email;
export const csv: Promise<ReadableStream<Uint8Array>> = admin.download('GET /users.csv', { role: ['normaluser'] });
export const fieldOf = (error: AdminError): string | undefined => error.field;
// @ts-expect-error: a change needs the version of the record
void admin.call('PATCH /users/:id', { id: 1, full_name: 'Ada' });
// @ts-expect-error: one user is no list
void admin.all('GET /users/:id', { id: 1 });
