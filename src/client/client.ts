// The client of the service, for applications and command lines: `import { createClient } from 'authsvc/client'`.
import { type Answer, createAsk, readerOf, refusalOf } from './http.ts';
import { type Login, waitForLogin } from './wait-for-login.ts';

export { ClientError, type Failure } from './http.ts';
export type { Login } from './wait-for-login.ts';

export interface ClientOptions {
  /** Address of the service, such as https://auth.example.com. */
  server: string;
  /** Another fetch than the global one. */
  fetch?: typeof fetch;
}

export interface LoginRequest {
  /** Key of a profile, as the operator made it (`authsvc profile add`). */
  profileKey: string;
  /** What the person sees as the name of the program that asks. */
  clientName: string;
  /** Ends the login: abort it when the person does not want to wait. */
  signal?: AbortSignal;
}

/** A login that waits for a person: show address and code. */
export interface PendingLogin {
  /** Where the person approves; the code is in it. */
  verificationUrl: string;
  /** What the person compares, such as BCDF-GHJK. */
  userCode: string;
  deviceCode: string;
  /** Seconds until nobody can approve any more. */
  expiresIn: number;
  /** Seconds between two polls. */
  interval: number;
  clientName: string;
  profileName: string;
}

/** What a token allows, and until when. */
export interface TokenFacts {
  username: string;
  scope: 'read-only' | 'write';
  allowedApps: string[];
  /** Undefined: it does not end by itself. */
  expiresAt: Date | undefined;
}

/** Whose session it is, and until when. */
export interface SessionFacts {
  username: string;
  role: string;
  expiresAt: Date | undefined;
}

/** Every method throws a ClientError, whose message is a sentence for a person. */
export interface Client {
  /** Begins a device login (RFC 8628). */
  startLogin(request: LoginRequest): Promise<PendingLogin>;
  /** Waits until a person has decided; polls as often as the server wants. */
  waitForLogin(pending: PendingLogin, options?: { signal?: AbortSignal }): Promise<Login>;
  /** Both in one: `show` gets what the person has to see. */
  login(request: LoginRequest & { show(pending: PendingLogin): unknown }): Promise<Login>;
  /** What a token allows at this moment; undefined for one that is not valid. */
  verifyToken(token: string): Promise<TokenFacts | undefined>;
  /** Ends a token; one that is not valid any more stays so. */
  revokeToken(token: string): Promise<void>;
  /** Whose session the value of a browser's session_id cookie is; undefined where it counts no more. */
  verifySession(cookie: string): Promise<SessionFacts | undefined>;
}

function requireStatus(answer: Answer, status: number): Record<string, unknown> {
  if (answer.status !== status) throw refusalOf(answer);
  return answer.fields;
}

function toPending(fields: Record<string, unknown>): PendingLogin {
  const read = readerOf(fields);
  return {
    verificationUrl: read.text('verification_url'),
    userCode: read.text('user_code'),
    deviceCode: read.text('device_code'),
    expiresIn: read.number('expires_in'),
    interval: read.number('interval'),
    clientName: read.text('client_name'),
    profileName: readerOf(read.fields('profile')).text('name'),
  };
}

function toTokenFacts(fields: Record<string, unknown>): TokenFacts | undefined {
  if (fields.tokenValid !== true) return undefined;
  const read = readerOf(fields);
  const permissions = readerOf(read.fields('permissions'));
  return {
    username: read.text('username'),
    scope: permissions.text('scope') === 'write' ? 'write' : 'read-only',
    allowedApps: permissions.list('allowed_apps'),
    expiresAt: read.instant('expiresAt'),
  };
}

/** Makes a client of the service at an address. */
export function createClient({ server, fetch: fetchIt = fetch }: ClientOptions): Client {
  const ask = createAsk(server, fetchIt);
  const startLogin = async ({ profileKey, clientName, signal }: LoginRequest) =>
    toPending(requireStatus(await ask('/api/cli/device', { profileKey, clientName }, signal), 201));
  return {
    startLogin,
    waitForLogin: (pending, { signal } = {}) => waitForLogin(ask, pending, signal),
    login: async ({ show, ...request }) => {
      const pending = await startLogin(request);
      await show(pending);
      return waitForLogin(ask, pending, request.signal);
    },
    verifyToken: async (token) => toTokenFacts(requireStatus(await ask('/api/tokens/verify', { token }), 200)),
    revokeToken: async (token) => void requireStatus(await ask('/api/tokens/revoke', { token }), 200),
    verifySession: async (cookie) => {
      const fields = requireStatus(
        await ask('/authsvc/api/verifySession', { session_id: cookie, is_encrypt: true }),
        200,
      );
      if (fields.valid !== true) return undefined;
      const read = readerOf(fields);
      return { username: read.text('username'), role: read.text('role'), expiresAt: read.instant('expiry') };
    },
  };
}
