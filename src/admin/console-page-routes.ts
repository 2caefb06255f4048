import { idParams } from '../api-tokens/schemas.ts';
import { parseScope, tokenScopes } from '../api-tokens/token.ts';
import type { Application } from '../applications/application.ts';
import { getApplication } from '../applications/find-application.ts';
import type { Profile } from '../device-login/profile.ts';
import { AppError } from '../errors/app-error.ts';
import type { AuditEvent } from '../events/audit-event.ts';
import { auditEventNames } from '../events/event-types.ts';
import { isVisit } from '../http/asks-for.ts';
import { renderPage } from '../http/page.ts';
import { status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { browserNames } from '../lib/browser-names.ts';
import { getSession } from '../sessions/guards.ts';
import { listKnownApps } from '../users/registered-apps.ts';
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
import { detailsLine } from './details-line.ts';
import { listPage, page } from './guards.ts';
import {
  type ListedSession,
  listAllSessions,
  listAllTokens,
  listApplications,
  listAudit,
  listProfiles,
  type OwnedToken,
  sessionMethods,
} from './list-others.ts';
import { ListParameters, type ListQuery } from './list-query.ts';
import { listUsers, readUserListing } from './list-users.ts';
import { signInsOfApplication } from './overview.ts';
import { consoleApplicationPageData } from './page/console-application/data.ts';
import { consoleApplicationPage } from './page/console-application/page.ts';
import { type ConsoleCell, consoleListPageData, hasField, type ListFacts } from './page/console-list/data.ts';
import { consoleListPage } from './page/console-list/page.ts';
import { consoleOverviewPageData } from './page/console-overview/data.ts';
import { consoleOverviewPage } from './page/console-overview/page.ts';
import { consoleUserPageData } from './page/console-user/data.ts';
import { consoleUserPage } from './page/console-user/page.ts';

type ListCall = Call<unknown, ListQuery>;

/** Returns the CSRF token for the forms of a page. */
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

/** The facts about a list that are known before its rows are read. */
type ListFrame = Pick<ListFacts, 'view' | 'webhook' | 'choices'> & Partial<Pick<ListFacts, 'knownApps'>>;

/** Returns the name of the form field with an invalid value, or undefined if the error has another cause. */
function refusedField(error: unknown, call: Call, view: ListFrame['view']): string | undefined {
  if (!(error instanceof AppError) || error.code !== 'FIELD_INVALID' || !isVisit(call)) return undefined;
  const { field = '' } = error.parameters;
  return hasField(view, field) ? field : undefined;
}

/** Shows a list of the console. If a filter has an invalid value, marks that filter and shows no rows. */
export async function showList(
  call: Call<unknown, ListQuery>,
  list: ListFrame,
  read: () => Promise<Pick<ListFacts, 'rows' | 'next'>>,
) {
  const { settings, meter } = call.services;
  const { ROLES: roles, APP_NAME: ownApp } = settings;
  const around = { knownApps: [], ...list, query: call.query, csrfToken: csrfOf(call), roles, ownApp };
  try {
    return renderPage(call, consoleListPage, consoleListPageData({ ...around, ...(await read()) }));
  } catch (error) {
    const refused = refusedField(error, call, list.view);
    if (refused === undefined) throw error;
    meter?.refused('FIELD_INVALID', undefined);
    const page = consoleListPageData({ ...around, rows: [], next: null, refused });
    return status(400, renderPage(call, consoleListPage, page));
  }
}

async function users(call: ListCall) {
  const { services, query } = call;
  const { database, settings } = services;
  const knownApps = await listKnownApps(database, settings);
  return showList(call, { view: 'users', choices: { role: settings.ROLES }, knownApps }, async () => {
    const parameters = new ListParameters(query);
    const page = { after: parameters.text('after'), limit: parameters.limit() };
    const found = await listUsers(database, readUserListing(query, settings.ROLES), page);
    return { rows: found.users.map(userRow), next: found.next };
  });
}

const applicationRow = ({ key, name, roles, urls, createdAt, disabledAt }: Application): ConsoleCell[] => [
  { text: key, href: `/authsvc/admin/applications/${encodeURIComponent(key)}` },
  name,
  state(disabledAt, 'disabled'),
  roles.length === 0 ? { word: 'anyRole' } : roles.join(', '),
  urls.join(' '),
  time(createdAt),
];

const applications = (call: ListCall) =>
  showList(call, { view: 'applications', choices: {} }, async () => {
    const { items, next } = await listApplications(call.services.database, call.query);
    return { rows: items.map(applicationRow), next };
  });

const profileRow = ({ key, name, scope, allowedApps, expiresInDays, disabledAt }: Profile): ConsoleCell[] => [
  code(key),
  name,
  state(disabledAt, 'disabled'),
  { scope },
  allowedApps.join(', '),
  expiresInDays,
  {
    action: disabledAt === null ? 'disable' : 'enable',
    path: `/authsvc/api/admin/profiles/${encodeURIComponent(key)}`,
    name,
  },
];

async function profiles(call: ListCall) {
  const { database, settings } = call.services;
  const knownApps = await listKnownApps(database, settings);
  return showList(call, { view: 'profiles', choices: {}, knownApps }, async () => {
    const { items, next } = await listProfiles(database, call.query);
    return { rows: items.map(profileRow), next };
  });
}

function tokenRow(token: OwnedToken, now: string): ConsoleCell[] {
  const expiry = (at: string | null): ConsoleCell =>
    at === null ? null : at <= now ? { word: 'expired', badge: 'danger' } : { time: at };
  return [
    code(token.token_prefix),
    userLink(token.user_id, token.username),
    token.name,
    { scope: parseScope(token.scope) },
    token.allowed_apps.join(', '),
    token.last_used_at === null ? null : { time: token.last_used_at },
    expiry(token.expires_at),
    {
      action: 'endToken',
      path: `/authsvc/api/admin/tokens/${token.id}`,
      name: token.username,
      item: token.token_prefix,
    },
  ];
}

const tokens = (call: ListCall) =>
  showList(call, { view: 'tokens', choices: { scope: tokenScopes } }, async () => {
    const { database, clock } = call.services;
    const { items, next } = await listAllTokens(database, call.query);
    const now = new Date(clock.now()).toISOString();
    return { rows: items.map((token) => tokenRow(token, now)), next };
  });

function sessionRow(session: ListedSession, ownRef: string): ConsoleCell[] {
  const { username: name, user_agent: header } = session;
  const userAgent = browserNames(header);
  const isOwn = session.ref === ownRef;
  const action = isOwn ? 'endOwnSession' : 'endSession';
  return [
    userLink(session.user_id, name),
    { method: session.method },
    code(session.address),
    { userAgent: { ...userAgent, header }, isOwn },
    { time: session.created_at },
    { time: session.expires_at },
    { action, path: `/authsvc/api/admin/sessions/${session.ref}`, name, userAgent },
  ];
}

function sessions(call: ListCall) {
  const choices = { method: sessionMethods(call.services.settings) };
  return showList(call, { view: 'sessions', choices }, async () => {
    const { items, next } = await listAllSessions(call.services, call.query);
    const { ref } = await getSession(call);
    return { rows: items.map((session) => sessionRow(session, ref)), next };
  });
}

const auditRow = (event: AuditEvent): ConsoleCell[] => [
  time(event.at),
  code(event.event),
  { actor: { type: event.actor_type, name: event.actor_name } },
  event.subject_id === null
    ? event.subject_name
    : userLink(event.subject_id, event.subject_name ?? String(event.subject_id)),
  code(event.address),
  code(detailsLine(event)),
];

const audit = (call: ListCall) =>
  showList(call, { view: 'audit', choices: { event: auditEventNames } }, async () => {
    const { items, next } = await listAudit(call.services.database, call.query);
    return { rows: items.map(auditRow), next };
  });

async function overview(call: Call) {
  const reply = toOverview(await call.services.readOverview(call.services));
  return renderPage(call, consoleOverviewPage, consoleOverviewPageData(reply));
}

async function user(call: Call<unknown, unknown, { id: string }>) {
  const { database, settings } = call.services;
  const details = toUserDetails(await describeUser(call.services, Number(call.params.id)));
  const knownApps = await listKnownApps(database, settings);
  const { ROLES: roles, APP_NAME: ownApp, identityProviders } = settings;
  const providers = identityProviders.map(({ name }) => name);
  const { userId } = await getSession(call);
  const facts = {
    user: details,
    csrfToken: csrfOf(call),
    roles,
    knownApps,
    ownApp,
    providers,
    isOwn: userId === details.id,
    sendsMail: settings.SMTP_URL !== undefined,
  };
  return renderPage(call, consoleUserPage, consoleUserPageData(facts));
}

async function application(call: Call<unknown, unknown, { key: string }>) {
  const found = toConsoleApplication(await getApplication(call.services.database, call.params.key));
  const signIns = await signInsOfApplication(call.services, found.key);
  const facts = { application: found, csrfToken: csrfOf(call), signIns };
  return renderPage(call, consoleApplicationPage, consoleApplicationPageData(facts));
}

/** The pages of the console. Superadmins can read them without scripts. */
export const consolePageRoutes: AnyRoute[] = [
  defineRoute({
    ...page,
    path: '/authsvc/admin',
    operationId: 'showConsole',
    summary: 'Show the overview of the console; superadmins only',
    handle: overview,
  }),
  defineRoute({
    ...listPage,
    path: '/authsvc/admin/users',
    operationId: 'showUsersPage',
    summary: 'Show the list of users; superadmins only',
    query: userListQuery,
    handle: users,
  }),
  defineRoute({
    ...page,
    path: '/authsvc/admin/users/:id',
    operationId: 'showUserPage',
    summary: 'Show one user; superadmins only',
    params: idParams,
    fieldErrors: { id: { invalid: 'USER_NOT_FOUND' } },
    errors: ['USER_NOT_FOUND'],
    handle: user,
  }),
  defineRoute({
    ...listPage,
    path: '/authsvc/admin/applications',
    operationId: 'showApplicationsPage',
    summary: 'Show the list of applications; superadmins only',
    query: activeListQuery,
    handle: applications,
  }),
  defineRoute({
    ...page,
    path: '/authsvc/admin/applications/:key',
    operationId: 'showApplicationPage',
    summary: 'Show one application; superadmins only',
    params: keyParams,
    errors: ['APPLICATION_NOT_FOUND'],
    handle: application,
  }),
  defineRoute({
    ...listPage,
    path: '/authsvc/admin/profiles',
    operationId: 'showProfilesPage',
    summary: 'Show the list of profiles for device logins; superadmins only',
    query: activeListQuery,
    handle: profiles,
  }),
  defineRoute({
    ...listPage,
    path: '/authsvc/admin/tokens',
    operationId: 'showTokensPage',
    summary: "Show the list of all users' API tokens; superadmins only",
    query: tokenListQuery,
    handle: tokens,
  }),
  defineRoute({
    ...listPage,
    path: '/authsvc/admin/sessions',
    operationId: 'showSessionsPage',
    summary: "Show the list of all users' sessions; superadmins only",
    query: sessionListQuery,
    handle: sessions,
  }),
  defineRoute({
    ...listPage,
    path: '/authsvc/admin/audit',
    operationId: 'showAuditPage',
    summary: 'Show the audit log; superadmins only',
    query: auditListQuery,
    handle: audit,
  }),
];
