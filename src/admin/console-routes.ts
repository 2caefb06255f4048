import { idParams } from '../api-tokens/schemas.ts';
import { getApplication } from '../applications/find-application.ts';
import { toProfileJson } from '../device-login/profile.ts';
import { auditFields, toAuditJson } from '../events/audit-event.ts';
import { readAuditEvents } from '../events/list-events.ts';
import { download, downloadReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { toCsvLine } from '../lib/csv.ts';
import { changeRegistryRoutes } from './change-registry-routes.ts';
import { changeUserRoutes } from './change-user-routes.ts';
import { consolePageRoutes } from './console-page-routes.ts';
import {
  activeListQuery,
  applicationList,
  applicationReply,
  auditExportQuery,
  auditList,
  auditListQuery,
  consoleTokenList,
  consoleUser,
  keyParams,
  overviewReply,
  profileList,
  sessionList,
  sessionListQuery,
  toConsoleApplication,
  toConsoleUser,
  tokenListQuery,
  toOverview,
  toUserDetails,
  userExportQuery,
  userList,
  userListQuery,
  userReply,
} from './console-schemas.ts';
import { describeUser } from './describe-user.ts';
import { listErrors, reading } from './guards.ts';
import {
  listAllSessions,
  listAllTokens,
  listApplications,
  listAudit,
  listProfiles,
  readAuditQuery,
} from './list-others.ts';
import { ListParameters, type ListQuery } from './list-query.ts';
import { listUsers, readUserListing, readUsers } from './list-users.ts';
import { webhookPageRoutes } from './webhook-page-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

type ListCall = Call<unknown, ListQuery>;

async function users({ services, query }: ListCall) {
  const parameters = new ListParameters(query);
  const page = { after: parameters.text('after'), limit: parameters.limit() };
  const listing = readUserListing(query, services.settings.ROLES);
  const { users: found, next } = await listUsers(services.database, listing, page);
  return { success: true as const, items: found.map(toConsoleUser), next };
}

async function user({ services, params }: Call<unknown, unknown, { id: string }>) {
  return { success: true as const, user: toUserDetails(await describeUser(services, Number(params.id))) };
}

async function application({ services, params }: Call<unknown, unknown, { key: string }>) {
  const found = await getApplication(services.database, params.key);
  return { success: true as const, application: toConsoleApplication(found) };
}

/** Writes a header row and the rows of all pages as CSV. The header comes with the first rows, because a reply starts with them. */
async function* toCsv<Item>(pages: AsyncIterable<Item[]>, fields: readonly (keyof Item & string)[]) {
  let head = `${toCsvLine(fields)}\r\n`;
  for await (const page of pages) {
    yield head + page.map((row) => `${toCsvLine(fields.map((field) => row[field]))}\r\n`).join('');
    head = '';
  }
  if (head !== '') yield head;
}

async function* mapped<Item, Row>(pages: AsyncIterable<Item[]>, toRow: (item: Item) => Row) {
  for await (const page of pages) yield page.map(toRow);
}

async function exportUsers({ services, query }: ListCall) {
  const listing = readUserListing(query, services.settings.ROLES);
  const rows = mapped(readUsers(services.database, listing), toConsoleUser);
  return download('text/csv; charset=utf-8', 'users.csv', toCsv(rows, userFields));
}

async function exportAudit({ services, query }: ListCall) {
  const filter = await readAuditQuery(services.database, query);
  const rows = mapped(readAuditEvents(services.database, filter), toAuditJson);
  return download('text/csv; charset=utf-8', 'audit.csv', toCsv(rows, auditFields));
}

async function exportAuditLines({ services, query }: ListCall) {
  const filter = await readAuditQuery(services.database, query);
  const lines = mapped(
    readAuditEvents(services.database, filter),
    (event) => `${JSON.stringify(toAuditJson(event))}\n`,
  );
  return download('application/x-ndjson', 'audit.jsonl', joined(lines));
}

async function* joined(pages: AsyncIterable<string[]>) {
  for await (const page of pages) yield page.join('');
}

type UserField = keyof ReturnType<typeof toConsoleUser>;
const isUserField = (name: string): name is UserField => name in consoleUser.properties;
const userFields = Object.keys(consoleUser.properties).filter(isUserField);

/** The read-only routes for superadmins: JSON and files. */
const readingRoutes: AnyRoute[] = [
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/overview',
    operationId: 'getOverview',
    summary: 'Return the state of the service, at most ten seconds old; superadmins only',
    kind: 'json',
    replies: { 200: overviewReply },
    handle: async ({ services }) => toOverview(await services.readOverview(services)),
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/users',
    operationId: 'listUsers',
    summary: 'List users, filtered and sorted; superadmins only',
    kind: 'json',
    query: userListQuery,
    replies: { 200: userList },
    errors: listErrors,
    handle: users,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/users.csv',
    operationId: 'exportUsers',
    summary: 'Download all users that match a filter, as CSV; superadmins only',
    kind: 'file',
    query: userExportQuery,
    replies: { 200: downloadReply('text/csv') },
    errors: ['FIELD_INVALID'],
    handle: exportUsers,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/users/:id',
    operationId: 'getUser',
    summary: 'Return one user with second factors and provider accounts; superadmins only',
    kind: 'json',
    params: idParams,
    fieldErrors: { id: { invalid: 'ID_INVALID' } },
    replies: { 200: userReply },
    errors: ['USER_NOT_FOUND'],
    handle: user,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/sessions',
    operationId: 'listSessions',
    summary: 'List the sessions of all users, newest first; superadmins only',
    kind: 'json',
    query: sessionListQuery,
    replies: { 200: sessionList },
    errors: listErrors,
    handle: async ({ services, query }) => ({
      success: true,
      ...(await listAllSessions(services, query)),
    }),
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/tokens',
    operationId: 'listTokens',
    summary: 'List the API tokens of all users, newest first; superadmins only',
    kind: 'json',
    query: tokenListQuery,
    replies: { 200: consoleTokenList },
    errors: listErrors,
    handle: async ({ services, query }) => ({ success: true, ...(await listAllTokens(services.database, query)) }),
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/profiles',
    operationId: 'listProfiles',
    summary: 'List the profiles for device logins; superadmins only',
    kind: 'json',
    query: activeListQuery,
    replies: { 200: profileList },
    errors: listErrors,
    handle: async ({ services, query }) => {
      const { items, next } = await listProfiles(services.database, query);
      return { success: true, items: items.map(toProfileJson), next };
    },
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/applications',
    operationId: 'listApplications',
    summary: 'List the registered applications; superadmins only',
    kind: 'json',
    query: activeListQuery,
    replies: { 200: applicationList },
    errors: listErrors,
    handle: async ({ services, query }) => {
      const { items, next } = await listApplications(services.database, query);
      return { success: true, items: items.map(toConsoleApplication), next };
    },
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/applications/:key',
    operationId: 'getApplication',
    summary: 'Return one registered application; superadmins only',
    kind: 'json',
    params: keyParams,
    replies: { 200: applicationReply },
    errors: ['APPLICATION_NOT_FOUND'],
    handle: application,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/audit',
    operationId: 'listAuditEvents',
    summary: 'List the events of the audit log, newest first; superadmins only',
    kind: 'json',
    query: auditListQuery,
    replies: { 200: auditList },
    errors: listErrors,
    handle: async ({ services, query }) => {
      const { items, next } = await listAudit(services.database, query);
      return { success: true, items: items.map(toAuditJson), next };
    },
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/audit.csv',
    operationId: 'exportAuditAsCsv',
    summary: 'Download all events that match a filter, as CSV; superadmins only',
    kind: 'file',
    query: auditExportQuery,
    replies: { 200: downloadReply('text/csv') },
    errors: ['FIELD_INVALID'],
    handle: exportAudit,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/admin/audit.jsonl',
    operationId: 'exportAuditAsJson',
    summary: 'Download all events that match a filter, one JSON object per line; superadmins only',
    kind: 'file',
    query: auditExportQuery,
    replies: { 200: downloadReply('application/x-ndjson') },
    errors: ['FIELD_INVALID'],
    handle: exportAuditLines,
  }),
];

/** All routes of the console: pages and JSON. */
export const consoleRoutes: readonly AnyRoute[] = [
  ...readingRoutes,
  ...consolePageRoutes,
  ...changeUserRoutes,
  ...changeRegistryRoutes,
  ...webhookRoutes,
  ...webhookPageRoutes,
];
