import type { Caller } from '../api-tokens/caller.ts';
import { checkToken } from '../api-tokens/find-token.ts';
import { returnAddress } from '../applications/return-address.ts';
import { AppError } from '../errors/app-error.ts';
import { actorOf } from '../http/actor.ts';
import { renderPage } from '../http/page.ts';
import { noContent, redirect, status } from '../http/reply.ts';
import type { Call } from '../http/route.ts';
import type { IsTrusted } from '../http/trusted-proxies.ts';
import { currentSession } from '../sessions/guards.ts';
import { tokenOf } from './credential.ts';
import { guardedApplications, type Refusal, refusalOf } from './decide-access.ts';
import { findEmail } from './find-email.ts';
import { identityHeaders } from './identity.ts';
import type { OriginalRequest } from './original-request.ts';
import { refusedPage } from './page/refused/page.ts';
import { isFormPost, isNavigation, isProgram } from './visit.ts';

declare module '../http/route.ts' {
  interface Services {
    /** Returns whether an IP address belongs to a proxy in TRUST_PROXY. */
    isTrustedProxy: IsTrusted;
  }
}

/** How to read the check request of a proxy, and how to answer it. */
interface ProxyQuestion {
  /** Reads the untrusted key of the application and the original request. Throws ORIGINAL_REQUEST_INVALID. */
  read(): { key: unknown; original: OriginalRequest };
  /** The caller needs one of these roles. An empty list allows every role. */
  roles: readonly string[];
  /** The status that makes this proxy redirect a browser to the login page. */
  redirectStatus: 302 | 401;
}

/**
 * Finds the caller who sent the original request. If the request has an API token, its cookies are ignored. An
 * invalid token is an error and never a redirect to the login page.
 */
async function findVisitor(call: Call): Promise<Caller | undefined> {
  const credential = tokenOf(call.request.headers.authorization, call.services.settings.LEGACY_TOKEN_PREFIXES);
  if (credential === undefined) {
    const session = await currentSession(call);
    return session && { via: 'session', ...session };
  }
  const token = await checkToken(call.services, credential);
  if (!token) throw new AppError('TOKEN_INVALID', { challenge: challengeFor(call, ' error="invalid_token"') });
  call.request.knownCaller = token;
  return { via: 'token', ...token };
}

/**
 * Returns the challenge for an answer with status 401. git sends its credentials only after a Basic challenge.
 * Browsers do not get that challenge, because they would open a password dialog.
 */
const challengeFor = ({ request }: Call, detail = ''): string =>
  `Bearer${detail}${isProgram(request.headers) ? ', Basic realm="authsvc"' : ''}`;

const withRedirect = (page: string, back: string): string =>
  back === '' ? page : `${page}?redirect=${encodeURIComponent(back)}`;

async function answerNobody(call: Call, original: OriginalRequest, redirectStatus: 302 | 401) {
  const { reply, services, request } = call;
  const back = await returnAddress(services, original.url, '');
  const signInURL = withRedirect(`${services.baseUrl()}/authsvc/login`, back);
  const isVisit = isNavigation(original.method, request.headers);
  if (isVisit && redirectStatus === 302) return redirect(signInURL);
  const challenge = challengeFor(call);
  if (!isVisit && !isFormPost(original.method, request.headers)) throw new AppError('NOT_SIGNED_IN', { challenge });
  reply.header('www-authenticate', challenge);
  if (isVisit) reply.header('location', signInURL);
  const data = { reason: 'NOT_SIGNED_IN', username: '', signInURL, backURL: original.url } as const;
  return status(401, renderPage(call, refusedPage, data));
}

/**
 * Answers a refused page request with a page that the browser shows at the application's own URL. Records the
 * refusal like any other.
 */
async function answerRefused(call: Call, original: OriginalRequest, visitor: Caller, reason: Refusal) {
  const { services, request, route } = call;
  if (!isNavigation(original.method, request.headers)) throw new AppError(reason);
  const back = await returnAddress(services, original.url, '');
  const signInURL = withRedirect(`${services.baseUrl()}/authsvc/accounts`, back);
  const details = { reason, route: route.path };
  services.notes.note({ type: 'request.refused', actor: actorOf(call), subject: null, details });
  const data = { reason, username: visitor.username, signInURL, backURL: original.url };
  return status(403, renderPage(call, refusedPage, data));
}

/**
 * Answers a proxy. If the request may pass, the answer is 200 with the identity of the caller. Otherwise it is an
 * error, a redirect to the login page, or a page that gives the reason.
 *
 * @throws AppError if the request is refused and the answer is not a page
 */
export async function answerProxy(call: Call, { read, roles, redirectStatus }: ProxyQuestion) {
  const { services, request, reply } = call;
  if (!services.isTrustedProxy(request.socket.remoteAddress ?? '')) throw new AppError('PROXY_NOT_TRUSTED');
  const { key, original } = read();
  const applications = await guardedApplications(services, key, original).catch((error: unknown) => {
    if (error instanceof AppError) services.warnOfUnknownApp(String(key));
    throw error;
  });
  const visitor = await findVisitor(call);
  if (!visitor) return answerNobody(call, original, redirectStatus);
  const refusal = refusalOf(visitor, { applications, roles, method: original.method });
  if (refusal) return answerRefused(call, original, visitor, refusal);
  reply.headers(identityHeaders(visitor, await findEmail(services, visitor.userId)));
  return noContent(200);
}
