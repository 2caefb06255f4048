import { mayUseApplication } from '../applications/may-use-application.ts';
import { AppError } from '../errors/app-error.ts';
import { actorOf } from '../http/actor.ts';
import { limitKeys } from '../http/client-address.ts';
import { renderPage } from '../http/page.ts';
import { type Html, htmlReply, status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { requireCsrf, requireSession } from '../sessions/guards.ts';
import { type Refusal, refusalOf } from '../ui/refusal.ts';
import { decideDevice, findWaitingDevice, type WaitingDevice } from './decide-device.ts';
import { personOf, requireOpenIdConnect, visitorOf } from './guards.ts';
import { knownScopes } from './page/consent/page.ts';
import { askPageData, deviceGrantPage } from './page/device-grant/page.ts';
import { noAccessPage } from './page/no-access/page.ts';
import { paths } from './paths.ts';
import * as wire from './schemas.ts';
import type { Visitor } from './visit.ts';

async function getVisitor(call: Call): Promise<Visitor> {
  const visitor = await visitorOf(call);
  if (!visitor) throw new AppError('NOT_SIGNED_IN');
  return visitor;
}

/** Finds the request for a typed user code. Each wrong code counts towards the rate limit of the client address. */
async function findTyped(call: Call, typed: string): Promise<WaitingDevice | undefined> {
  const { services, request } = call;
  const waiting = await findWaitingDevice(services, typed);
  if (waiting) return waiting;
  await services.limiter.consume({ name: 'oidc-user-code', error: 'TOO_MANY_CODES' }, limitKeys(request));
  return undefined;
}

const showUnknown = (call: Call, typed: string) => status(404, renderPage(call, deviceGrantPage, askPageData(typed)));

function showNoAccess(call: Call, { application, userCode }: WaitingDevice, visitor: Visitor) {
  const back = `${paths.device}?user_code=${userCode}`;
  const switchURL = `/authsvc/accounts?redirect=${encodeURIComponent(back)}`;
  const page = { ...personOf(visitor), application: application.name, switchURL, backURL: '' };
  return status(403, renderPage(call, noAccessPage, page));
}

function showRequest(call: Call, waiting: WaitingDevice, visitor: Visitor, refusal?: Refusal): Html {
  const { userCode, application, scopes, address } = waiting;
  const { services, request, reply } = call;
  const csrfToken = services.csrf.tokenFor(request, reply);
  const shown = { userCode, application: application.name, scopes: knownScopes(scopes), address, csrfToken, refusal };
  return renderPage(call, deviceGrantPage, {
    state: 'pending',
    typed: undefined,
    request: { ...shown, ...personOf(visitor) },
  });
}

async function showDevice(call: Call<unknown, wire.UserCodeQuery>) {
  const { user_code: typed } = call.query;
  if (typeof typed !== 'string') return renderPage(call, deviceGrantPage, askPageData());
  const visitor = await getVisitor(call);
  const waiting = await findTyped(call, typed);
  if (!waiting) return showUnknown(call, typed);
  if (!mayUseApplication(visitor.user, waiting.application)) return showNoAccess(call, waiting, visitor);
  return showRequest(call, waiting, visitor);
}

async function decide(call: Call<wire.DeviceDecisionForm>) {
  const { services, body } = call;
  const visitor = await getVisitor(call);
  const waiting = await findTyped(call, body.user_code);
  if (!waiting) return showUnknown(call, body.user_code);
  if (!mayUseApplication(visitor.user, waiting.application)) return showNoAccess(call, waiting, visitor);
  const isApproved = body.decision === 'approve';
  await decideDevice({ ...services, actor: actorOf(call) }, visitor, waiting, isApproved);
  const state = isApproved ? 'approved' : 'denied';
  return renderPage(call, deviceGrantPage, { state, typed: undefined, application: waiting.application.name });
}

/** Returns the page with the reason why its form was refused, if the request can still be decided. */
async function refuseDecision(call: Call, error: AppError) {
  const visitor = await visitorOf(call);
  const typed: unknown = Reflect.get(Object(call.body), 'user_code');
  const waiting = typeof typed === 'string' ? await findTyped(call, typed) : undefined;
  const isOpen = visitor && waiting && mayUseApplication(visitor.user, waiting.application);
  return isOpen ? showRequest(call, waiting, visitor, refusalOf(error)) : undefined;
}

const facts = {
  path: paths.device,
  kind: 'page',
  replies: { 200: htmlReply, 403: htmlReply, 404: htmlReply },
} as const;

/** The page where a user lets an application on a device sign in. */
export const oidcDeviceRoutes: AnyRoute[] = [
  defineRoute({
    ...facts,
    method: 'GET',
    operationId: 'showDeviceGrantPage',
    summary: 'Show the page where a person enters the code of a device and sees what the device requests',
    access: [requireOpenIdConnect],
    guards: [requireSession],
    query: wire.userCodeQuery,
    errors: ['TOO_MANY_CODES', 'NOT_SIGNED_IN'],
    handle: showDevice,
  }),
  defineRoute({
    ...facts,
    method: 'POST',
    operationId: 'decideDeviceGrant',
    summary: 'Approve or deny the request of a device',
    access: [requireOpenIdConnect],
    guards: [requireSession, requireCsrf],
    body: form(wire.deviceDecisionForm),
    fieldErrors: {
      decision: { missing: 'FIELD_INVALID', invalid: 'FIELD_INVALID' },
      user_code: { missing: 'USER_CODE_INVALID', invalid: 'USER_CODE_INVALID' },
    },
    errors: ['DEVICE_REQUEST_DECIDED', 'TOO_MANY_CODES', 'NOT_SIGNED_IN'],
    replies: { ...facts.replies, 400: htmlReply },
    handle: decide,
    showRefusal: refuseDecision,
  }),
];
