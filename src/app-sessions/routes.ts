import { mayUseApplication } from '../applications/may-use-application.ts';
import { AppError } from '../errors/app-error.ts';
import { EventStream, eventStreamReply } from '../http/event-stream.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { toVisitor } from '../visitor/schemas.ts';
import { confirmApplication } from './find-application.ts';
import { findVisitor } from './find-visitor.ts';
import { getApplication, requireApplication } from './guards.ts';
import { rowOf } from './refs.ts';
import { type VisitorAnswer, type VisitorQuestion, visitorAnswer, visitorQuestion } from './schemas.ts';

async function askVisitor(call: Call<VisitorQuestion>): Promise<VisitorAnswer> {
  const { services, body } = call;
  const known = getApplication(call);
  if (body.cookie === undefined && body.authorization === undefined)
    throw new AppError('MISSING_REQUIRED_FIELD', { field: 'cookie' });
  const { caller, applicationVersion } = await findVisitor(services, body, known.application);
  const { application } = await confirmApplication(services, known, applicationVersion);
  if (!caller) return { visitor: null };
  const visitor = toVisitor(caller);
  return {
    visitor,
    may_use: mayUseApplication(caller, application),
    ref: services.refOf(application, rowOf(caller)),
    expires_at: visitor.expires_at,
  };
}

async function followChanges(call: Call): Promise<EventStream> {
  const { changeStreams } = call.services;
  const known = await confirmApplication(call.services, getApplication(call));
  await changeStreams.requireRoom(known);
  return new EventStream((stream) => changeStreams.begin(known, stream));
}

/** Routes for first-party applications. The package authsvc-client calls them. */
export const appSessionRoutes: AnyRoute[] = [
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/apps/visitor',
    operationId: 'askVisitor',
    summary: 'Return which user sent a request to an application, and whether that user may use the application',
    kind: 'json',
    isVital: true,
    isCheck: true,
    access: [requireApplication],
    body: json(visitorQuestion),
    replies: { 200: visitorAnswer },
    errors: ['MISSING_REQUIRED_FIELD'],
    failure: 'OVERLOADED',
    handle: askVisitor,
  }),
  defineRoute({
    method: 'GET',
    path: '/authsvc/api/apps/changes',
    operationId: 'followChanges',
    summary: 'Stream events that tell an application which of its cached answers are outdated',
    kind: 'json',
    isVital: true,
    access: [requireApplication],
    replies: {
      200: eventStreamReply(
        'the events `hello`, `ended`, `user` and `lost`, and a comment every second to keep the connection open',
      ),
    },
    failure: 'OVERLOADED',
    handle: followChanges,
  }),
];
