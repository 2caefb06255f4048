import { AppError } from '../errors/app-error.ts';
import { changeBy } from '../events/change.ts';
import { actorOf } from '../http/actor.ts';
import { type ForeignHandler, mount, remakeRequest } from '../http/mount.ts';
import { renderPage } from '../http/page.ts';
import { type Answer, htmlReply, redirect, redirectReply, status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { formHeaders } from '../http/security-headers.ts';
import { isSignedIn, requireCsrf, requireSession } from '../sessions/guards.ts';
import { askForSecondStep } from '../signin/complete-first-step.ts';
import { browserOf } from '../signin/guards.ts';
import { type Refusal, refusalOf } from '../ui/refusal.ts';
import { rememberConsent } from './agree.ts';
import { findPending, type Pending, refusedAddress, textOf } from './authorize.ts';
import { oidcDeviceRoutes } from './device-routes.ts';
import { markOffer, personOf, requireOpenIdConnect, visitOf, visitorOf } from './guards.ts';
import { oidcLogoutRoutes } from './logout-routes.ts';
import { consentPage, consentPageData } from './page/consent/page.ts';
import { formPostPage } from './page/form-post/page.ts';
import { noAccessPage } from './page/no-access/page.ts';
import { OIDC, paths } from './paths.ts';
import { noteProgress } from './requests.ts';
import * as wire from './schemas.ts';
import type { FormAnswer, Visit, Visitor } from './visit.ts';

const INTERACTION = `${OIDC}/interaction`;
const limit = { name: 'oidc-authorize', error: 'TOO_MANY_REQUESTS' } as const;
const exempt = { who: 'signed-in callers', check: isSignedIn };

/** Returns the page that sends the answer to the application with a form. */
function answerByForm(call: Call, { action, fields }: FormAnswer): Answer {
  call.reply.headers(formHeaders(call.services.settings, action));
  const listed = Object.entries(fields).map(([name, value]) => ({ name, value }));
  return renderPage(call, formPostPage, { action, fields: listed });
}

/** Lets the library answer an authorization request with this URL. */
async function answerRequest(call: Call, url: string, more: Partial<Visit>): Promise<ForeignHandler> {
  const answer = await call.services.openIdConnect.answerer(call.services);
  const visit: Visit = { ...visitOf(call), ...more };
  return async (_request, response) => {
    await answer(visit)(remakeRequest(call.request.raw, { url }), response);
    if (visit.refusal !== undefined) throw visit.refusal;
    return visit.form && answerByForm(call, visit.form);
  };
}

const isSignedOut = (error: unknown): boolean => error instanceof AppError && error.code === 'NOT_SIGNED_IN';

/**
 * Answers a request of the signed-in user. If the session ends meanwhile, answers again as if no one were signed
 * in. This is safe because nothing was marked as used.
 */
async function answerVisitor(
  call: Call,
  answerTo: (visitor: Visitor | undefined) => Promise<ForeignHandler>,
): Promise<ForeignHandler> {
  const visitor = await visitorOf(call);
  const handler = await answerTo(visitor);
  return async (request, response) => {
    try {
      return await handler(request, response);
    } catch (error) {
      if (!visitor || !isSignedOut(error)) throw error;
    }
    return (await answerTo(undefined))(request, response);
  };
}

async function authorize(call: Call): Promise<ForeignHandler> {
  const { url } = call.request;
  const at = url.indexOf('?');
  const query = at < 0 ? '' : await markOffer(call, url.slice(at + 1));
  return answerVisitor(call, (visitor) => answerRequest(call, `${paths.authorize}?${query}`, { visitor }));
}

const accountsPage = (back: string): string => `/authsvc/accounts?redirect=${encodeURIComponent(back)}`;

/** Redirects to the login page, which names the application. After the sign-in, the user returns here. */
function loginPage({ waiting, application }: Pending, visitor: Visitor | undefined): Answer {
  const hint = textOf(waiting.params, 'login_hint');
  const progress = new URLSearchParams({ client_id: application.key, ...(waiting.hasChosen ? { chosen: '1' } : {}) });
  const query = new URLSearchParams({
    redirect: `${INTERACTION}/${waiting.id}?${progress}`,
    ...(visitor ? { again: '1' } : {}),
    ...(hint === '' ? {} : { login_hint: hint }),
  });
  return redirect(`/authsvc/login?${query}`);
}

async function startSecondStep(call: Call, visitor: Visitor, back: string): Promise<Answer> {
  const { services } = call;
  const { user, method } = visitor;
  const first = { user, method, redirect: back, browser: await browserOf(call) };
  services.cookies.apply(call, await askForSecondStep(services, first));
  return redirect('/authsvc/2fa');
}

function showNoAccess(call: Call, { waiting, application }: Pending, visitor: Visitor, back: string): Answer {
  const page = {
    ...personOf(visitor),
    application: application.name,
    switchURL: accountsPage(back),
    backURL: refusedAddress(waiting, call.services.baseUrl()),
  };
  return status(403, renderPage(call, noAccessPage, page));
}

function showConsent(call: Call, pending: Pending, visitor: Visitor, refusal?: Refusal): Answer {
  const { services, request, reply } = call;
  const { waiting, application, asked } = pending;
  const action = `${INTERACTION}/${waiting.id}`;
  const redirectUri = textOf(waiting.params, 'redirect_uri');
  const csrfToken = services.csrf.tokenFor(request, reply);
  reply.headers(formHeaders(services.settings, redirectUri));
  const facts = { application: application.name, redirectUri, scopes: asked.scopes, csrfToken, refusal };
  const page = consentPageData({ ...facts, action, switchURL: accountsPage(`${action}?chosen=1`) });
  return renderPage(call, consentPage, { ...page, ...personOf(visitor) });
}

/** Returns the next page for the user. Returns undefined if the application can get its answer now. */
function nextPage(call: Call, pending: Pending, visitor: Visitor | undefined): Answer | Promise<Answer> | undefined {
  const { step, waiting } = pending;
  const here = `${INTERACTION}/${waiting.id}`;
  const chosen = `${here}?chosen=1`;
  const back = waiting.hasChosen ? chosen : here;
  if (step === 'done') return undefined;
  if (step === 'sign-in' || !visitor) return loginPage(pending, visitor);
  if (step === 'choose') return redirect(accountsPage(chosen));
  if (step === 'second-step') return startSecondStep(call, visitor, back);
  if (step === 'refused') return showNoAccess(call, pending, visitor, chosen);
  return showConsent(call, pending, visitor);
}

function goOn(call: Call<unknown, wire.RequestQuery, wire.RequestParams>): Promise<ForeignHandler> {
  const { id } = call.params;
  return answerVisitor(call, async (visitor) => {
    const pending = await findPending(call.services, id, { visitor, hasChosen: call.query.chosen === '1' });
    const page = await nextPage(call, pending, visitor);
    if (page) return () => page;
    return answerRequest(call, `${paths.authorize}/${encodeURIComponent(id)}`, { visitor, waiting: pending.waiting });
  });
}

async function decide(call: Call<wire.DecisionForm, unknown, wire.RequestParams>) {
  const { services, body, params } = call;
  const visitor = await visitorOf(call);
  const pending = await findPending(services, params.id, { visitor, hasChosen: true });
  if (visitor && pending.step === 'consent') {
    const { application, asked } = pending;
    const isAgreed = body.decision === 'approve';
    if (isAgreed) await rememberConsent(changeBy(services, actorOf(call)), visitor, application, asked.scopes);
    await noteProgress(services, params.id, isAgreed ? { agreedBy: visitor.user.id } : { hasRefused: true });
  }
  return redirect(`${INTERACTION}/${params.id}?chosen=1`);
}

/** Returns the page with the reason why its form was refused, if the request still waits for the decision. */
async function refuseDecision(call: Call<unknown, unknown, wire.RequestParams>, error: AppError) {
  const visitor = await visitorOf(call);
  const pending = await findPending(call.services, call.params.id, { visitor, hasChosen: true });
  const isOpen = visitor && pending.step === 'consent';
  return isOpen ? showConsent(call, pending, visitor, refusalOf(error)) : undefined;
}

/** A missing or invalid decision gets the same error. */
const fieldErrors = { decision: { missing: 'FIELD_INVALID', invalid: 'FIELD_INVALID' } } as const;

/** The routes that a browser visits between an application's request and the answer to it. */
export const oidcPersonRoutes: AnyRoute[] = [
  mount({
    method: 'GET',
    path: paths.authorize,
    operationId: 'authorize',
    summary: 'Sign a person in to an application (OpenID Connect Core 1.0 §3.1.2)',
    kind: 'page',
    alwaysErrorPage: true,
    access: [requireOpenIdConnect],
    limit,
    exempt,
    replies: {
      303: redirectReply('The application, or a page on which the person has to do something first'),
      200: htmlReply,
    },
    errors: ['OIDC_CLIENT_UNKNOWN', 'OIDC_REDIRECT_URI_INVALID', 'OIDC_REQUEST_INVALID'],
    serve: authorize,
  }),
  mount({
    method: 'GET',
    path: `${INTERACTION}/:id`,
    operationId: 'continueAuthorization',
    summary: 'Show what the person must do before the application gets its answer, such as giving consent',
    kind: 'page',
    alwaysErrorPage: true,
    access: [requireOpenIdConnect],
    limit,
    exempt,
    params: wire.requestParams,
    query: wire.requestQuery,
    replies: {
      200: htmlReply,
      302: redirectReply('The login page, the accounts page or the page of the second step'),
      303: redirectReply('The application'),
      403: htmlReply,
    },
    errors: ['OIDC_REQUEST_EXPIRED', 'OIDC_CLIENT_UNKNOWN', 'OIDC_REQUEST_INVALID'],
    serve: goOn,
  }),
  defineRoute({
    method: 'POST',
    path: `${INTERACTION}/:id`,
    operationId: 'decideConsent',
    summary: 'Give or refuse consent to what an application requests',
    kind: 'page',
    access: [requireOpenIdConnect],
    guards: [requireSession, requireCsrf],
    params: wire.requestParams,
    body: form(wire.decisionForm),
    fieldErrors,
    replies: { 303: redirectReply('The next step of the authorization request'), 400: htmlReply, 403: htmlReply },
    errors: ['OIDC_REQUEST_EXPIRED', 'OIDC_CLIENT_UNKNOWN'],
    handle: decide,
    showRefusal: refuseDecision,
  }),
  ...oidcDeviceRoutes,
  ...oidcLogoutRoutes,
];
