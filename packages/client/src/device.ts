// Device login (RFC 8628), and checks of tokens and sessions: `import { createClient } from 'authsvc-client/device'`.
import { readerOf, refusalOf } from './answer.ts';
import { type Answer, createAsk } from './ask.ts';
import { verificationUrl } from './verification-url.ts';
import { type Login, waitForLogin } from './wait-for-login.ts';
import type { PermissionsReply, ProfileReply, SessionReply, StartedReply, TokenReply } from './wire.ts';

export { ClientError, type Failure } from './client-error.ts';
export type { Login } from './wait-for-login.ts';

export interface ClientOptions {
  /** Address of the service, such as https://auth.example.com. */
  server: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

export interface LoginRequest {
  /** Key of a profile that the operator created with `authsvc profile add`. */
  profileKey: string;
  /** Name of the program, shown to the person who approves. */
  clientName: string;
  /** Cancels the login. */
  signal?: AbortSignal;
}

/** A login that a person has not approved yet. Show `verificationUrl` and `userCode` to the person. */
export interface PendingLogin {
  /** The page where the person approves the login. The URL contains the code. */
  verificationUrl: string;
  /** The code, such as BCDF-GHJK. The page shows it too. */
  userCode: string;
  /** Secret of this login. `waitForLogin` polls with it. */
  deviceCode: string;
  /** Seconds until the request expires. */
  expiresIn: number;
  /** Seconds between two polls. */
  interval: number;
  clientName: string;
  profileName: string;
}

/** The owner, rights and expiry of a token. */
export interface TokenFacts {
  username: string;
  scope: 'read-only' | 'write';
  allowedApps: string[];
  /** When the token expires; undefined if it does not expire. */
  expiresAt: Date | undefined;
}

/** The user and expiry of a session. */
export interface SessionFacts {
  username: string;
  role: string;
  expiresAt: Date | undefined;
}

/** Methods throw a ClientError. */
export interface Client {
  /** Starts a device login (RFC 8628). */
  startLogin(request: LoginRequest): Promise<PendingLogin>;
  /** Polls until the person approves or denies the login. */
  waitForLogin(pending: PendingLogin, options?: { signal?: AbortSignal }): Promise<Login>;
  /** Starts a login and waits for the approval. Calls `show` once, to display the URL and the code. */
  login(request: LoginRequest & { show(pending: PendingLogin): unknown }): Promise<Login>;
  /**
   * Returns the owner and rights of a token, or undefined if the text is not a valid token. Throws only if authsvc does not
   * reply, or replies with an error such as 429 or 503.
   */
  verifyToken(token: string | undefined): Promise<TokenFacts | undefined>;
  /** Revokes a token. Does nothing if the text is not a valid token. */
  revokeToken(token: string | undefined): Promise<void>;
  /** Returns the user of a session, or undefined if the text is not a valid value of the cookie `session_id`. */
  verifySession(cookie: string | undefined): Promise<SessionFacts | undefined>;
}

/** Matches every token and cookie value of authsvc. Browsers may drop cookies above 4,096 bytes (RFC 6265 §6.1). */
const CREDENTIAL = /^[\w.~+/=%-]{1,4096}$/;

/** Returns whether a text could be a token or a cookie value. Other texts are not sent to authsvc. */
const isCredential = (text: unknown): text is string => typeof text === 'string' && CREDENTIAL.test(text);

/** Returns whether authsvc rejected the text because it does not have the form of a token or cookie value. */
const isMalformed = ({ status }: Answer): boolean => status === 400 || status === 413;

function requireStatus(answer: Answer, status: number): Record<string, unknown> {
  if (answer.status !== status) throw refusalOf(answer);
  return answer.fields;
}

function toPending(fields: Record<string, unknown>, server: string): PendingLogin {
  const read = readerOf<StartedReply>(fields);
  return {
    verificationUrl: verificationUrl(read.text('verification_url'), server),
    userCode: read.text('user_code'),
    deviceCode: read.text('device_code'),
    expiresIn: read.number('expires_in'),
    interval: read.number('interval'),
    clientName: read.text('client_name'),
    profileName: readerOf<ProfileReply>(read.fields('profile')).text('name'),
  };
}

function toTokenFacts(fields: Record<string, unknown>): TokenFacts | undefined {
  if (fields.tokenValid !== true) return undefined;
  const read = readerOf<TokenReply>(fields);
  const permissions = readerOf<PermissionsReply>(read.fields('permissions'));
  return {
    username: read.text('username'),
    scope: permissions.text('scope') === 'write' ? 'write' : 'read-only',
    allowedApps: permissions.list('allowed_apps'),
    expiresAt: read.instant('expiresAt'),
  };
}

function toSessionFacts(fields: Record<string, unknown>): SessionFacts | undefined {
  if (fields.valid !== true) return undefined;
  const read = readerOf<SessionReply>(fields);
  return { username: read.text('username'), role: read.text('role'), expiresAt: read.instant('expiry') };
}

/** Creates a client. Sends nothing until the first call. @throws TypeError if `server` is not an http or https address */
export function createClient({ server, fetch: fetchIt = fetch }: ClientOptions): Client {
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw new TypeError(`server is not an http or https address: ${server}`);
  const ask = createAsk(server, fetchIt);
  const startLogin = async ({ profileKey, clientName, signal }: LoginRequest) =>
    toPending(requireStatus(await ask('/api/cli/device', { profileKey, clientName }, signal), 201), server);
  /** Sends an untrusted text to a route that checks it. Returns undefined if the text does not have the form of a credential. */
  const askAbout = async (
    text: string | undefined,
    path: string,
    toFields: (text: string) => Record<string, unknown>,
  ) => {
    if (!isCredential(text)) return undefined;
    const answer = await ask(path, toFields(text));
    return isMalformed(answer) ? undefined : requireStatus(answer, 200);
  };
  return {
    startLogin,
    waitForLogin: (pending, { signal } = {}) => waitForLogin(ask, pending, signal),
    login: async ({ show, ...request }) => {
      const pending = await startLogin(request);
      await show(pending);
      return waitForLogin(ask, pending, request.signal);
    },
    verifyToken: async (text) => {
      const fields = await askAbout(text, '/api/tokens/verify', (token) => ({ token }));
      return fields && toTokenFacts(fields);
    },
    revokeToken: async (text) => {
      await askAbout(text, '/api/tokens/revoke', (token) => ({ token }));
    },
    verifySession: async (text) => {
      const toFields = (cookie: string) => ({ session_id: cookie, is_encrypt: true });
      const fields = await askAbout(text, '/authsvc/api/verifySession', toFields);
      return fields && toSessionFacts(fields);
    },
  };
}
