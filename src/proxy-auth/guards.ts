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
    /** Whether the peer of a connection is a proxy of TRUST_PROXY. */
    isTrustedProxy: IsTrusted;
  }
}

/** The request of a proxy. */
interface ProxyQuestion {
  /** The untrusted key of the application, and the original request. Throws ORIGINAL_REQUEST_INVALID. */
  read(): { key: unknown; original: OriginalRequest };
  /** The roles that may pass; none: every role. */
  roles: readonly string[];
  /** The status with which the proxy redirects a browser to the login page. */
  redirectStatus: 302 | 401;
}

/** Who sent the original request. If a token is sent, only that counts, and it is never redirected. */
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

/** git sends credentials only after a challenge for Basic; a browser would open a dialog. */
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

/** A refusal as a page at the address of the application; recorded like every refusal. */
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
 * Answers a proxy: 200 with the identity of the caller, or why the request may not pass.
 *
 * @throws AppError every refusal that is not a page
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
