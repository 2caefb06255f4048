import { findCaller } from '../api-tokens/guards.ts';
import { mayUseApplication } from '../applications/may-use-application.ts';
import { isOwnOrigin } from '../applications/origins.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { getSession, requireSession } from '../sessions/guards.ts';
import { askedApplications, usableApplications } from './may-use.ts';
import { appsPage, appsPageData } from './page/apps/page.ts';
import {
  type AppsReply,
  appsReply,
  toListedApp,
  toVisitor,
  type VisitorQuery,
  type VisitorReply,
  visitorQuery,
  visitorReply,
} from './schemas.ts';

async function showVisitor(call: Call<unknown, VisitorQuery>): Promise<VisitorReply> {
  const { services, query, request } = call;
  const caller = await findCaller(call);
  const asked = await askedApplications(services, query.app, request.headers.origin);
  if (!caller) return { visitor: null };
  const mayUse = asked?.some((application) => mayUseApplication(caller, application));
  return { visitor: toVisitor(caller), ...(mayUse === undefined ? {} : { may_use: mayUse }) };
}

async function listApps(call: Call): Promise<AppsReply> {
  const applications = await usableApplications(call.services, await getSession(call));
  return { apps: applications.flatMap(toListedApp) };
}

async function showApps(call: Call) {
  const { apps } = await listApps(call);
  return renderPage(call, appsPage, appsPageData(apps, call.services.settings));
}

/** The routes that tell an application who is signed in, and which applications that person may use. */
export const visitorRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/authsvc/api/me',
    operationId: 'showVisitor',
    summary: 'Return who is signed in, and whether that user may use an application',
    kind: 'json',
    isVital: true,
    isCheck: true,
    readableBy: isOwnOrigin,
    query: visitorQuery,
    replies: { 200: visitorReply },
    errors: ['TOKEN_INVALID', 'APP_UNKNOWN'],
    handle: showVisitor,
  }),
  defineRoute({
    method: 'GET',
    path: '/authsvc/api/apps',
    operationId: 'listApps',
    summary: 'List the applications that the signed-in user may use and that have a URL',
    kind: 'json',
    access: [requireSession],
    replies: { 200: appsReply },
    handle: listApps,
  }),
  defineRoute({
    method: 'GET',
    path: '/authsvc/apps',
    operationId: 'showAppsPage',
    summary: 'Show the applications that the signed-in user may use',
    kind: 'page',
    access: [requireSession],
    replies: { 200: htmlReply },
    handle: showApps,
  }),
];
