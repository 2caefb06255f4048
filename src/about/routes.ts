import { getCaller, requireCaller } from '../api-tokens/guards.ts';
import { renderPage } from '../http/page.ts';
import { file, fileReply, htmlReply, redirect, redirectReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { programVersion } from '../lib/package-root.ts';
import { currentSession } from '../sessions/guards.ts';
import { isWebAddress } from '../users/fields.ts';
import { describeService } from './describe-service.ts';
import { errorListPage, errorListPageData } from './page/error-list/page.ts';
import { infoPage, infoPageData } from './page/info/page.ts';
import { testPage } from './page/test/page.ts';
import { serviceInfo, signedInReply } from './schemas.ts';

async function showSession(call: Call) {
  const { services, request, reply } = call;
  const caller = await getCaller(call);
  const { userId, username, fullName, role, image, expiresAt } = caller;
  return renderPage(call, testPage, {
    userId,
    username,
    fullName,
    role,
    sessionId: caller.via === 'session' ? caller.id : undefined,
    expiresAt: expiresAt === null ? undefined : new Date(expiresAt).toISOString(),
    csrfToken: services.csrf.tokenFor(request, reply),
    image: image || undefined,
  });
}

/** Redirects the browser to the user's picture. The service never fetches the picture itself. */
async function showPicture(call: Call) {
  const { reply, services } = call;
  const image = (await currentSession(call))?.image ?? '';
  reply.header('vary', 'Cookie');
  return isWebAddress(image)
    ? redirect(new URL(image).href)
    : file('image/svg+xml', services.assets.publicFile('icon.svg').content);
}

const sessionPage = (path: string, operationId: string): AnyRoute =>
  defineRoute({
    method: 'GET',
    path,
    operationId,
    summary: 'Show who is signed in, with a button to sign out (a page for testing)',
    kind: 'page',
    access: [requireCaller],
    limit: { name: 'session-page', error: 'TOO_MANY_REQUESTS' },
    replies: { 200: htmlReply },
    handle: showSession,
  });

const infoLimit = { name: 'info', error: 'TOO_MANY_REQUESTS' } as const;

/** Describes the service. Shows its actual address if the setting BASE_URL is empty. */
const describeSelf = ({ services: { settings, baseUrl, latestVersion } }: Call) =>
  describeService({ ...settings, BASE_URL: baseUrl() }, programVersion(), latestVersion.get());

const infoPageAt = (path: string, operationId: string): AnyRoute =>
  defineRoute({
    method: 'GET',
    path,
    operationId,
    summary: 'Show the version, the latest version and the public settings',
    kind: 'page',
    limit: infoLimit,
    replies: { 200: htmlReply },
    handle: async (call) => renderPage(call, infoPage, infoPageData(describeSelf(call))),
  });

const infoJsonAt = (path: string, operationId: string): AnyRoute =>
  defineRoute({
    method: 'GET',
    path,
    operationId,
    summary: 'Return the version, the latest version and the public settings',
    kind: 'json',
    limit: infoLimit,
    replies: { 200: serviceInfo },
    handle: async (call) => describeSelf(call),
  });

export const aboutRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/',
    operationId: 'goToStart',
    summary: 'Redirect people who open the bare address to the page that shows who is signed in',
    kind: 'page',
    replies: { 302: redirectReply('The page that shows who is signed in') },
    handle: async () => redirect('/authsvc/'),
  }),
  sessionPage('/authsvc/test', 'showSessionPage'),
  sessionPage('/authsvc/', 'showStartPage'),
  defineRoute({
    method: 'POST',
    path: '/authsvc/test',
    operationId: 'confirmSignedIn',
    summary: 'Return 200 if the caller is signed in, else 401',
    kind: 'json',
    isCheck: true,
    access: [requireCaller],
    changesNothing: true,
    replies: { 200: signedInReply },
    handle: async () => ({ success: true, message: 'You are signed in' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/authsvc/user/profilepic',
    operationId: 'getProfilePicture',
    summary: 'Return the picture of the signed-in user, or the icon of the service if there is none',
    kind: 'file',
    replies: { 200: fileReply('image/svg+xml'), 302: redirectReply("The URL of the user's picture") },
    handle: showPicture,
  }),
  infoPageAt('/authsvc/info', 'showInfoPage'),
  infoPageAt('/authsvc/i', 'showInfoPageShort'),
  infoJsonAt('/authsvc/info.json', 'getInfo'),
  infoJsonAt('/authsvc/i.json', 'getInfoShort'),
  defineRoute({
    method: 'GET',
    path: '/authsvc/ErrorCode',
    operationId: 'showErrorList',
    summary: 'Show every error code with its meaning and what to do',
    kind: 'page',
    replies: { 200: htmlReply },
    handle: async (call) => renderPage(call, errorListPage, errorListPageData()),
  }),
];
