import type { Caller } from '../api-tokens/caller.ts';
import { getCaller, requireCaller } from '../api-tokens/guards.ts';
import { AppError } from '../errors/app-error.ts';
import { actorOf } from '../http/actor.ts';
import { clientAddress } from '../http/client-address.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply, redirect, redirectReply, status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form, json } from '../http/route.ts';
import { requireCsrf } from '../sessions/guards.ts';
import { type Refusal, refusalOf } from '../ui/refusal.ts';
import { decideRequest } from './decide-request.ts';
import { devicePage, pendingPageData } from './page/device/page.ts';
import { deviceCodePage, unknownCodePageData } from './page/device-code/page.ts';
import { pollRequest } from './poll-request.ts';
import * as wire from './schemas.ts';
import { showRequest } from './show-request.ts';
import { startRequest } from './start-request.ts';
import { parseUserCode } from './user-code.ts';

/** `profileId` has been deprecated since this time, the first release (RFC 9745 §2.1). */
const PROFILE_ID_DEPRECATED = '@1764547200';
const PAGE = '/authsvc/cli/device';

async function start(call: Call<wire.DeviceRequest>) {
  const { services, request, reply, body } = call;
  const started = await startRequest(services, body, clientAddress(request));
  if (typeof body.profileKey !== 'string') reply.header('deprecation', PROFILE_ID_DEPRECATED);
  return status(201, wire.toStarted(started, services.baseUrl()));
}

async function decideFor(call: Call, userCode: string, action: 'approve' | 'deny'): Promise<'approved' | 'denied'> {
  const caller = await getCaller(call);
  const { userId, username } = caller;
  const by = caller.via === 'token' ? { tokenId: caller.tokenId } : { sessionId: caller.id };
  const request = { userCode, action, userId, username, by };
  return decideRequest({ ...call.services, actor: actorOf(call) }, request);
}

async function decide(call: Call<wire.DecisionRequest>): Promise<wire.DecisionReply> {
  const { user_code: userCode, action } = call.body;
  const decision = await decideFor(call, userCode, action);
  const approved = 'The request is approved. The program gets its token now';
  return { success: true, status: decision, message: decision === 'approved' ? approved : 'The request is denied' };
}

async function poll(call: Call<wire.PollRequest>) {
  const { services, body } = call;
  const outcome = await pollRequest({ ...services, actor: actorOf(call) }, body.device_code);
  return wire.toPollReply(outcome, services.isPollTooFast(body.device_code));
}

/** Returns the role and applications of the caller, or of the API token that the caller uses. They limit what is shown. */
const viewerOf = ({ role, allowedApps }: Caller) => ({ role, allowedApps });

const showUnknownCode = (call: Call, typed: string) =>
  status(404, renderPage(call, deviceCodePage, unknownCodePageData(typed)));

async function showRequestPage(call: Call, userCode: string, refusal?: Refusal) {
  const { services, request, reply } = call;
  const caller = await getCaller(call);
  const shown = await showRequest(services, userCode, viewerOf(caller));
  if (shown.state === 'unknown') return showUnknownCode(call, userCode);
  if (shown.state === 'pending') {
    const csrfToken = services.csrf.tokenFor(request, reply);
    const data = pendingPageData(shown, caller, { now: services.clock.now(), csrfToken, refusal });
    return renderPage(call, devicePage, data);
  }
  const page = renderPage(call, devicePage, { state: shown.state });
  return shown.state === 'expired' ? status(410, page) : page;
}

const showPage = (call: Call<unknown, unknown, wire.CodeParams>) => showRequestPage(call, call.params.userCode);

function actionIn({ body }: Call<wire.DecisionForm>): 'approve' | 'deny' {
  const { action } = body;
  if (action === 'approve' || action === 'deny') return action;
  throw new AppError('DEVICE_ACTION_INVALID', { field: 'action' });
}

async function sendDecision(call: Call<wire.DecisionForm, unknown, wire.CodeParams>) {
  const { userCode } = call.params;
  await decideFor(call, userCode, actionIn(call));
  return redirect(`${PAGE}/${encodeURIComponent(userCode)}`);
}

async function askForCode(call: Call<unknown, { user_code?: unknown }>) {
  const { user_code: typed } = call.query;
  if (typeof typed !== 'string') return renderPage(call, deviceCodePage, { typed: undefined });
  const code = parseUserCode(typed);
  return code ? redirect(`${PAGE}/${code}`) : showUnknownCode(call, typed);
}

export const deviceLoginRoutes: AnyRoute[] = [
  defineRoute({
    method: 'POST',
    path: '/api/cli/device',
    operationId: 'startDeviceLogin',
    summary: 'Start a device login: a program requests a token and gets a code that a person approves',
    kind: 'json',
    limit: { name: 'device-start', error: 'TOO_MANY_REQUESTS' },
    body: json(wire.deviceRequest),
    fieldErrors: {
      clientName: { invalid: 'CLIENT_NAME_INVALID' },
      profileKey: { invalid: 'PROFILE_UNKNOWN', wrongType: 'FIELD_INVALID' },
      profileId: { invalid: 'PROFILE_UNKNOWN', wrongType: 'FIELD_INVALID' },
    },
    replies: { 201: wire.startedReply },
    errors: ['PROFILE_REQUIRED', 'PROFILE_UNKNOWN'],
    handle: start,
  }),
  defineRoute({
    method: 'POST',
    path: '/api/cli/device/approve',
    operationId: 'decideDeviceLogin',
    summary: "Approve or deny a program's request for a token",
    kind: 'json',
    access: [requireCaller],
    limit: { name: 'device-decide', error: 'TOO_MANY_REQUESTS' },
    body: json(wire.decisionRequest),
    fieldErrors: { user_code: { invalid: 'USER_CODE_INVALID' }, action: { invalid: 'DEVICE_ACTION_INVALID' } },
    replies: { 200: wire.decisionReply },
    errors: ['TOKEN_LIMIT_REACHED', 'USER_CODE_UNKNOWN', 'DEVICE_REQUEST_DECIDED', 'DEVICE_REQUEST_EXPIRED'],
    handle: decide,
  }),
  defineRoute({
    method: 'POST',
    path: '/api/cli/device/token',
    operationId: 'pollDeviceLogin',
    summary: "Return the state of a program's request; the first reply after the approval contains the token",
    kind: 'json',
    limit: { name: 'device-poll', error: 'TOO_MANY_REQUESTS' },
    body: json(wire.pollRequest),
    fieldErrors: { device_code: { invalid: 'DEVICE_CODE_INVALID' } },
    replies: { 200: wire.pollReply },
    errors: ['DEVICE_CODE_UNKNOWN'],
    handle: poll,
  }),
  defineRoute({
    method: 'GET',
    path: PAGE,
    operationId: 'showDeviceCodePage',
    summary: 'Show the page where a person enters the code that a program displays',
    kind: 'page',
    access: [requireCaller],
    query: wire.codeQuery,
    replies: {
      200: htmlReply,
      302: redirectReply('The page where the person approves or denies the request'),
      404: htmlReply,
    },
    handle: askForCode,
  }),
  defineRoute({
    method: 'GET',
    path: `${PAGE}/:userCode`,
    operationId: 'showDeviceApprovalPage',
    summary: "Show the page where a person approves or denies a program's request",
    kind: 'page',
    access: [requireCaller],
    params: wire.codeParams,
    replies: { 200: htmlReply, 404: htmlReply, 410: htmlReply },
    handle: showPage,
  }),
  defineRoute({
    method: 'POST',
    path: `${PAGE}/:userCode`,
    operationId: 'sendDeviceDecisionForm',
    summary: "Submit the form of the approval page: approve or deny a program's request",
    kind: 'page',
    access: [requireCaller],
    guards: [requireCsrf],
    limit: { name: 'device-decide', error: 'TOO_MANY_REQUESTS' },
    params: wire.codeParams,
    body: form(wire.decisionForm),
    replies: {
      303: redirectReply('The same page, which now shows the decision'),
      400: htmlReply,
      403: htmlReply,
      404: htmlReply,
      409: htmlReply,
      410: htmlReply,
      429: htmlReply,
    },
    errors: [
      'DEVICE_ACTION_INVALID',
      'TOKEN_LIMIT_REACHED',
      'USER_CODE_UNKNOWN',
      'DEVICE_REQUEST_DECIDED',
      'DEVICE_REQUEST_EXPIRED',
    ],
    checkInput: (call) => void actionIn(call),
    handle: sendDecision,
    showRefusal: (call: Call<unknown, unknown, wire.CodeParams>, error) =>
      showRequestPage(call, call.params.userCode, refusalOf(error)),
  }),
];
