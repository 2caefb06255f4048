import { idParams } from '../api-tokens/schemas.ts';
import { tokenScopes } from '../api-tokens/token.ts';
import { getApplication } from '../applications/find-application.ts';
import type { AuditEvent } from '../events/audit-event.ts';
import { auditEventNames } from '../events/event-types.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { requireSession, requireSuperadmin } from '../sessions/guards.ts';
import type { User } from '../users/user.ts';
import {
  activeListQuery,
  auditListQuery,
  keyParams,
  sessionListQuery,
  toConsoleApplication,
  tokenListQuery,
  toOverview,
  toUserDetails,
  userListQuery,
} from './console-schemas.ts';
import { describeUser } from './describe-user.ts';
import { listAllSessions, listAllTokens, listApplications, listAudit, listProfiles } from './list-others.ts';
import { ListParameters, type ListQuery } from './list-query.ts';
import { listUsers, readUserListing } from './list-users.ts';
import { signInsOfApplication } from './overview.ts';
import { consoleApplicationPage, consoleApplicationPageData } from './page/console-application/page.ts';
import { type ConsoleCell, consoleListPage, consoleListPageData, type ListFacts } from './page/console-list/page.ts';
import { consoleOverviewPage, consoleOverviewPageData } from './page/console-overview/page.ts';
import { consoleUserPage, consoleUserPageData } from './page/console-user/page.ts';

type ListCall = Call<unknown, ListQuery>;

/** The token of the forms of a page. */
export const csrfOf = ({ services, request, reply }: Call): string => services.csrf.tokenFor(request, reply);

const time = (at: number): ConsoleCell => ({ time: new Date(at).toISOString() });
const timeOrNull = (at: number | null): ConsoleCell => (at === null ? null : time(at));
const code = (text: string | null): ConsoleCell => (text === null ? null : { text, isCode: true });
const userLink = (id: number, name: string): ConsoleCell => ({ text: name, href: `/authsvc/admin/users/${id}` });
const state = (disabledAt: number | null, word: 'inactive' | 'disabled'): ConsoleCell =>
  disabledAt === null ? { word: 'active', badge: 'calm' } : { word, badge: 'danger' };

const userRow = (user: User): ConsoleCell[] => [
  userLink(user.id, user.username),
  user.fullName,
  user.role,
  state(user.deactivatedAt, 'inactive'),
  user.allowedApps.join(', '),
  { word: user.secondFactorAt === null ? 'off' : 'on', badge: '' },
  timeOrNull(user.lastLoginAt),
  time(user.createdAt),
];

/** Shows a list of the console. */
export function showList(call: Call<unknown, ListQuery>, list: Omit<ListFacts, 'query' | 'csrfToken' | 'roles'>) {
  const facts = { ...list, query: call.query, csrfToken: csrfOf(call), roles: call.services.settings.ROLES };
  return renderPage(call, consoleListPage, consoleListPageData(facts));
}

async function users(call: ListCall) {
  const { services, query } = call;
  const { database, settings } = services;
  const parameters = new ListParameters(query);
  const page = { after: parameters.text('after'), limit: parameters.limit() };
  const found = await listUsers(database, readUserListing(query, settings.ROLES), page);
  const choices = { role: settings.ROLES };
  return showList(call, { view: 'users', choices, rows: found.users.map(userRow), next: found.next });
}

async function applications(call: ListCall) {
  const { items, next } = await listApplications(call.services.database, call.query);
  const rows = items.map(({ key, name, roles, urls, createdAt, disabledAt }): ConsoleCell[] => [
    { text: key, href: `/authsvc/admin/applications/${encodeURIComponent(key)}` },
    name,
    state(disabledAt, 'disabled'),
    roles.join(', '),
    urls.join(' '),
    time(createdAt),
  ]);
  return showList(call, { view: 'applications', choices: {}, rows, next });
}

async function profiles(call: ListCall) {
  const { items, next } = await listProfiles(call.services.database, call.query);
  const rows = items.map(({ key, name, scope, allowedApps, expiresInDays, disabledAt }): ConsoleCell[] => [
    code(key),
    name,
    state(disabledAt, 'disabled'),
    scope,
    allowedApps.join(', '),
    expiresInDays,
    {
      action: disabledAt === null ? 'disable' : 'enable',
      path: `/authsvc/api/admin/profiles/${encodeURIComponent(key)}`,
      name,
    },
  ]);
  return showList(call, { view: 'profiles', choices: {}, rows, next });
}

async function tokens(call: ListCall) {
  const { database, clock } = call.services;
  const { items, next } = await listAllTokens(database, call.query);
  const now = new Date(clock.now()).toISOString();
  const expiry = (at: string | null): ConsoleCell =>
    at === null ? null : at <= now ? { word: 'expired', badge: 'danger' } : { time: at };
  const rows = items.map((token): ConsoleCell[] => [
    code(token.token_prefix),
    userLink(token.user_id, token.username),
    token.name,
    token.scope,
    token.allowed_apps.join(', '),
    token.last_used_at === null ? null : { time: token.last_used_at },
    expiry(token.expires_at),
    { action: 'endToken', path: `/authsvc/api/admin/tokens/${token.id}`, name: token.username },
  ]);
  return showList(call, { view: 'tokens', choices: { scope: tokenScopes }, rows, next });
}

async function sessions(call: ListCall) {
  const { database, clock, settings } = call.services;
  const { items, next } = await listAllSessions(database, call.query, clock.now());
  const rows = items.map((session): ConsoleCell[] => [
    userLink(session.user_id, session.username),
    session.method,
    code(session.address),
    session.user_agent,
    { time: session.created_at },
    { time: session.expires_at },
    { action: 'endSession', path: `/authsvc/api/admin/sessions/${session.ref}`, name: session.username },
  ]);
  const methods = ['password', 'link', 'passkey', ...settings.identityProviders.map(({ name }) => name)];
  return showList(call, { view: 'sessions', choices: { method: methods }, rows, next });
}

/** The details of an event in one line. */
const detailsLine = (details: AuditEvent['details']): string =>
  Object.entries(details)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

const auditRow = (event: AuditEvent): ConsoleCell[] => [
  time(event.at),
  code(event.event),
  event.actor_name ?? event.actor_type,
  event.subject_id === null
    ? event.subject_name
    : userLink(event.subject_id, event.subject_name ?? String(event.subject_id)),
  code(event.address),
  code(detailsLine(event.details)),
];

async function audit(call: ListCall) {
  const { items, next } = await listAudit(call.services.database, call.query);
  const choices = { event: auditEventNames };
  return showList(call, { view: 'audit', choices, rows: items.map(auditRow), next });
}

async function overview(call: Call) {
  const reply = toOverview(await call.services.readOverview(call.services));
  return renderPage(call, consoleOverviewPage, consoleOverviewPageData(reply));
}

async function user(call: Call<unknown, unknown, { id: string }>) {
  const details = toUserDetails(await describeUser(call.services, Number(call.params.id)));
  const { ROLES: roles, identityProviders } = call.services.settings;
  const providers = identityProviders.map(({ name }) => name);
  const facts = { user: details, csrfToken: csrfOf(call), roles, providers };
  return renderPage(call, consoleUserPage, consoleUserPageData(facts));
}

async function application(call: Call<unknown, unknown, { key: string }>) {
  const found = toConsoleApplication(await getApplication(call.services.database, call.params.key));
  const signIns = await signInsOfApplication(call.services, found.key);
  const facts = { application: found, csrfToken: csrfOf(call), signIns };
  return renderPage(call, consoleApplicationPage, consoleApplicationPageData(facts));
}

const reading = {
  method: 'GET',
  kind: 'page',
  access: [requireSession, requireSuperadmin],
  limit: { name: 'admin-read', error: 'TOO_MANY_REQUESTS' },
  replies: { 200: htmlReply },
} as const;
const listErrors = ['FIELD_INVALID', 'CURSOR_INVALID'] as const;

/** The pages of the console, which superadmins read without scripts. */
export const consolePageRoutes: AnyRoute[] = [
  defineRoute({
    ...reading,
    path: '/authsvc/admin',
    operationId: 'showConsole',
    summary: 'The overview of the console; superadmins only',
    handle: overview,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/admin/users',
    operationId: 'showUsersPage',
    summary: 'The page of users; superadmins only',
    query: userListQuery,
    errors: listErrors,
    handle: users,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/admin/users/:id',
    operationId: 'showUserPage',
    summary: 'The page of one user; superadmins only',
    params: idParams,
    fieldErrors: { id: { invalid: 'USER_NOT_FOUND' } },
    errors: ['USER_NOT_FOUND'],
    handle: user,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/admin/applications',
    operationId: 'showApplicationsPage',
    summary: 'The page of applications; superadmins only',
    query: activeListQuery,
    errors: listErrors,
    handle: applications,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/admin/applications/:key',
    operationId: 'showApplicationPage',
    summary: 'The page of one application; superadmins only',
    params: keyParams,
    errors: ['APPLICATION_NOT_FOUND'],
    handle: application,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/admin/profiles',
    operationId: 'showProfilesPage',
    summary: 'The page of the profiles of device logins; superadmins only',
    query: activeListQuery,
    errors: listErrors,
    handle: profiles,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/admin/tokens',
    operationId: 'showTokensPage',
    summary: 'The page of API tokens; superadmins only',
    query: tokenListQuery,
    errors: listErrors,
    handle: tokens,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/admin/sessions',
    operationId: 'showSessionsPage',
    summary: 'The page of sessions; superadmins only',
    query: sessionListQuery,
    errors: listErrors,
    handle: sessions,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/admin/audit',
    operationId: 'showAuditPage',
    summary: 'The page of the audit log; superadmins only',
    query: auditListQuery,
    errors: listErrors,
    handle: audit,
  }),
];
