// The device login (RFC 8628) and checks of tokens and sessions: `import { createClient } from 'authsvc-client/device'`.
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
  /** Key of a profile that the operator made (`authsvc profile add`). */
  profileKey: string;
  /** Name of the program, shown to the person who approves. */
  clientName: string;
  /** Ends the login when it is aborted. */
  signal?: AbortSignal;
}

/** A login that waits for a person. Show them the address and the code. */
export interface PendingLogin {
  /** Where the person approves; contains the code. */
  verificationUrl: string;
  /** What the person compares, such as BCDF-GHJK. */
  userCode: string;
  deviceCode: string;
  /** Seconds until the request expires. */
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
  /** Undefined if the token does not expire. */
  expiresAt: Date | undefined;
}

/** The user of a session, and when it expires. */
export interface SessionFacts {
  username: string;
  role: string;
  expiresAt: Date | undefined;
}

/** Methods throw a ClientError, whose message is a sentence for people. */
export interface Client {
  /** Starts a device login (RFC 8628). */
  startLogin(request: LoginRequest): Promise<PendingLogin>;
  /** Waits until a person has decided; polls as often as the server allows. */
  waitForLogin(pending: PendingLogin, options?: { signal?: AbortSignal }): Promise<Login>;
  /** Starts a login and waits for it; `show` receives what the person has to see. */
  login(request: LoginRequest & { show(pending: PendingLogin): unknown }): Promise<Login>;
  /**
   * Returns what a token allows now, or undefined if the text is not a valid token. Takes any text: it throws only if
   * the service does not answer.
   */
  verifyToken(token: string | undefined): Promise<TokenFacts | undefined>;
  /** Revokes a token. A text that is not a valid token is ignored. */
  revokeToken(token: string | undefined): Promise<void>;
  /**
   * Returns whose session a browser's `session_id` cookie names, or undefined if it names none. Takes any text: it
   * throws only if the service does not answer.
   */
  verifySession(cookie: string | undefined): Promise<SessionFacts | undefined>;
}

/** The characters of tokens and cookie values; browsers keep no longer cookie (RFC 6265 §6.1). */
const CREDENTIAL = /^[\w.~+/=%-]{1,4096}$/;

/** Whether a text could be a token or a cookie value; no other one needs to be sent. */
const isCredential = (text: unknown): text is string => typeof text === 'string' && CREDENTIAL.test(text);

/** Whether the server says that the text has not the form of a credential. */
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

/**
 * Makes a client of the service at an address. Nothing is sent before the first call.
 *
 * @throws TypeError if `server` is not an http or https address
 */
export function createClient({ server, fetch: fetchIt = fetch }: ClientOptions): Client {
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw new TypeError(`server is not an http or https address: ${server}`);
  const ask = createAsk(server, fetchIt);
  const startLogin = async ({ profileKey, clientName, signal }: LoginRequest) =>
    toPending(requireStatus(await ask('/api/cli/device', { profileKey, clientName }, signal), 201), server);
  /** Asks about a text that anyone may have chosen; undefined if it has not the form of a credential. */
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
