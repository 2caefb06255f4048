import { type Auth, AuthRefused, AuthUnavailable, type HeaderSource, type Visitor } from './auth.ts';
import { headerOf, tokenOf } from './credentials.ts';
import { type NoAccess, noAccessPage } from './no-access-page.ts';

/** Which requests may continue to the application. */
export interface ProtectOptions {
  /** Whether requests may continue if no one is signed in. Default: false. */
  optional?: boolean | undefined;
  /** The roles whose users may continue. Superadmins always may. With an empty list, only superadmins may. Default: any role. */
  role?: string | readonly string[] | undefined;
  /** Whether to accept API tokens too. A read-only token allows GET, HEAD and OPTIONS only. Default: false. */
  tokens?: boolean | undefined;
}

/** The parts of a request that `decide` needs, independent of the framework. @internal */
interface Incoming {
  method: string;
  headers: HeaderSource;
  /** Scheme, host, path and query, as the visitor sent them. Only path and query if there is no `Host` header. */
  url: string;
}

/** A response that is sent instead of the application's response: an error or a redirect. @internal */
export interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** @internal */
type Decision = { visitor: Visitor | undefined; refusal?: undefined } | { refusal: Refusal };

const READING = ['GET', 'HEAD', 'OPTIONS'];

const refuse = (status: number, body: object, headers: Record<string, string> = {}): Decision => ({
  refusal: {
    status,
    headers: { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify({ success: false, ...body }),
  },
});

const forbid = (code: string, message: string): Decision => refuse(403, { code, message });

/** Returns whether a browser opens a page. Only then is the refusal a redirect or an HTML page; scripts and programs get JSON. */
function isNavigation({ method, headers }: Incoming): boolean {
  const of = (name: string) => headerOf(headers, name);
  const isScript = (of('sec-fetch-mode') ?? 'navigate') !== 'navigate' || of('x-requested-with') !== undefined;
  const isPage = /(^|[\s,])text\/html\b/i.test(of('accept') ?? '') && of('upgrade')?.toLowerCase() !== 'websocket';
  return (method === 'GET' || method === 'HEAD') && isPage && !isScript;
}

/** Returns the public origin of the application, and the unchanged path with query. `auth.url` overrides the request's origin. */
function partsOf({ url }: Auth, incoming: Incoming): { origin: string; path: string } {
  const [origin = ''] = /^https?:\/\/[^/?#]*/i.exec(incoming.url) ?? [];
  return { origin: url ?? origin, path: incoming.url.slice(origin.length).replace(/^(?!\/)/, '/') };
}

/**
 * Returns whether a page of a foreign origin made the browser send the request. Programs send neither `Sec-Fetch-Site` nor
 * `Origin`, so the result for them is false.
 */
function isForeign({ url, origins }: Auth, { headers }: Incoming, own: string): boolean {
  const site = headerOf(headers, 'sec-fetch-site');
  const origin = headerOf(headers, 'origin');
  if (origin !== undefined && origins.includes(origin)) return false;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  if (origin === undefined || origin === url) return false;
  // Behind a proxy that ends TLS, the request's scheme is http. So without `url`, compare the hosts only.
  const hostOf = (address: string) => (URL.canParse(address) ? new URL(address).host : '');
  return url !== undefined || hostOf(origin) === '' || hostOf(origin) !== hostOf(own);
}

function answerNobody(auth: Auth, incoming: Incoming, { tokens = false }: ProtectOptions): Decision {
  const { origin, path } = partsOf(auth, incoming);
  const loginUrl = auth.loginUrl(origin === '' ? undefined : origin + path);
  const hasToken = tokens && tokenOf(headerOf(incoming.headers, 'authorization') ?? '') !== undefined;
  if (isNavigation(incoming) && !hasToken) return refuse(302, {}, { location: loginUrl });
  const body = { code: 'NOT_SIGNED_IN', message: 'Sign in first', login_url: loginUrl };
  return refuse(401, body, tokens ? { 'www-authenticate': 'Bearer' } : {});
}

const noAccessMessages: Record<NoAccess, string> = {
  APP_NOT_ALLOWED: 'You may not use this application',
  ROLE_NOT_ALLOWED: 'Your role does not allow this',
};

/** Returns the 403 response for a visitor without access: an HTML page if a browser opens a page, otherwise JSON. */
function refuseVisitor(auth: Auth, incoming: Incoming, { via, username }: Visitor, reason: NoAccess): Decision {
  if (!isNavigation(incoming) || via !== 'session') return forbid(reason, noAccessMessages[reason]);
  const { origin, path } = partsOf(auth, incoming);
  const accountsUrl = auth.accountsUrl(origin === '' ? undefined : origin + path);
  const accepted = headerOf(incoming.headers, 'accept-language') ?? '';
  const headers = { 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' };
  return { refusal: { status: 403, headers, body: noAccessPage({ reason, username, accountsUrl, accepted }) } };
}

function answerFault(error: unknown): Decision {
  const isKnown = error instanceof AuthUnavailable || error instanceof AuthRefused;
  if (!isKnown) throw error;
  const wait = (error instanceof AuthUnavailable && error.retryAfterSeconds) || 1;
  const body = { code: 'AUTH_UNAVAILABLE', message: 'Sign-in cannot be checked at the moment' };
  return refuse(503, body, { 'retry-after': String(wait) });
}

/**
 * Decides whether a request may continue to the application.
 *
 * @returns the visitor, or the response to send instead. An AuthUnavailable or AuthRefused becomes a 503 response
 * @internal
 */
export async function decide(auth: Auth, incoming: Incoming, options: ProtectOptions): Promise<Decision> {
  const { optional = false, role, tokens = false } = options;
  let visitor: Visitor | undefined;
  try {
    visitor = await auth.visitor(incoming.headers, { tokens });
  } catch (error) {
    return answerFault(error);
  }
  if (!visitor) return optional ? { visitor } : answerNobody(auth, incoming, options);
  if (!visitor.mayUse) return refuseVisitor(auth, incoming, visitor, 'APP_NOT_ALLOWED');
  const hasRole = role === undefined || visitor.role === 'superadmin' || [role].flat().includes(visitor.role);
  if (!hasRole) return refuseVisitor(auth, incoming, visitor, 'ROLE_NOT_ALLOWED');
  if (READING.includes(incoming.method)) return { visitor };
  if (visitor.via === 'session' && isForeign(auth, incoming, partsOf(auth, incoming).origin))
    return forbid('CROSS_SITE_REQUEST', 'The request comes from another site');
  if (visitor.scope === 'read-only') return forbid('TOKEN_READ_ONLY', 'The token may only read');
  return { visitor };
}

/** Converts a refusal to a `Response` of the Fetch Standard. @internal */
export const toResponse = ({ status, headers, body }: Refusal): Response => new Response(body, { status, headers });

/** The part of Node's `ServerResponse` that is used. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** Sends a refusal through Node's `ServerResponse`. @internal */
export function sendRefusal(response: NodeResponse, { status, headers, body }: Refusal): void {
  response.writeHead(status, headers);
  response.end(body);
}
