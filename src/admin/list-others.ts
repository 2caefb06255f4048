import { type ListedToken, toListed } from '../api-tokens/listed-token.ts';
import { tokenScopes } from '../api-tokens/token.ts';
import { type Application, toApplication } from '../applications/application.ts';
import { allApplications } from '../applications/queries.ts';
import { readAuditFilter } from '../audit/read-filter.ts';
import type { Handle } from '../db/handle.ts';
import { type Profile, toProfile } from '../device-login/profile.ts';
import { allProfiles } from '../device-login/queries.ts';
import type { AuditEvent } from '../events/audit-event.ts';
import { type AuditFilter, listAuditEvents } from '../events/list-events.ts';
import { readAddressFilter } from '../http/client-address.ts';
import type { Services } from '../http/route.ts';
import { parseInstant } from '../lib/instant.ts';
import type { Settings } from '../settings/table.ts';
import { findUser } from '../users/find-user.ts';
import { pageOfSessions, pageOfTokens } from './list-queries.ts';
import { fromCursor, ListParameters, type ListQuery, toCursor } from './list-query.ts';
import { type Page, pageOfFew, toPage } from './page-of-rows.ts';

/** The longest beginning of a token that the database stores: up to 32 characters of imported tokens, 12 of all others. */
const MAX_PREFIX_LENGTH = 32;
/** An id that no user has. */
const NO_USER = 0;

/** Finds the user whose rows are listed: by id in `user_id`, by name in `user`, or by both. */
async function readUser(handle: Handle, parameters: ListParameters): Promise<number | undefined> {
  const id = parameters.id('user_id');
  const name = parameters.text('user');
  if (name === undefined) return id;
  const found = (await findUser(handle, name))?.id ?? NO_USER;
  return id === undefined || id === found ? found : NO_USER;
}

/** A session in the superadmins' list. The list does not contain the session id, because it is a secret. */
export interface ListedSession {
  ref: string;
  user_id: number;
  username: string;
  method: string;
  address: string;
  user_agent: string;
  created_at: string;
  expires_at: string;
}

/** Returns the sign-in methods that a superadmin can filter sessions by. */
export const sessionMethods = ({ identityProviders }: Pick<Settings, 'identityProviders'>): string[] => [
  'password',
  'link',
  'passkey',
  ...identityProviders.map(({ name }) => name),
];

type Needs = Pick<Services, 'database' | 'clock' | 'settings'>;

/**
 * Lists the sessions that have not ended, newest first.
 *
 * @throws AppError FIELD_INVALID with the field; CURSOR_INVALID
 */
export async function listAllSessions(services: Needs, query: ListQuery): Promise<Page<ListedSession>> {
  const { database: handle, clock, settings } = services;
  const parameters = new ListParameters(query);
  const filter = {
    userId: await readUser(handle, parameters),
    address: readAddressFilter(parameters.text('address')),
    method: parameters.choice('method', sessionMethods(settings)),
  };
  const limit = parameters.limit();
  const after = fromCursor('sessions', filter, parameters.text('after'));
  const place = after && { value: Number(after.value), ref: String(after.id) };
  const rows = await pageOfSessions.all(handle, { ...filter, now: clock.now(), after: place, limit: limit + 1 });
  return toPage(
    rows,
    { name: 'sessions', filter, limit },
    {
      item: ({ created_at, expires_at, ...rest }) => ({
        ...rest,
        created_at: new Date(created_at).toISOString(),
        expires_at: new Date(expires_at).toISOString(),
      }),
      position: ({ ref, created_at }) => ({ value: created_at, id: ref }),
    },
  );
}

/** An API token with its owner. */
export type OwnedToken = ListedToken & { user_id: number; username: string };

/**
 * Lists API tokens, newest first.
 *
 * @throws AppError FIELD_INVALID with the field; CURSOR_INVALID
 */
export async function listAllTokens(handle: Handle, query: ListQuery): Promise<Page<OwnedToken>> {
  const parameters = new ListParameters(query);
  const filter = {
    userId: await readUser(handle, parameters),
    scope: parameters.choice('scope', tokenScopes),
    beginning: parameters.text('token_prefix')?.trim().toLowerCase().slice(0, MAX_PREFIX_LENGTH) || undefined,
    expiresBefore: parameters.instant('expires_before'),
  };
  const limit = parameters.limit();
  const after = fromCursor('tokens', filter, parameters.text('after'));
  const rows = await pageOfTokens.all(handle, { ...filter, after: after && Number(after.id), limit: limit + 1 });
  return toPage(
    rows,
    { name: 'tokens', filter, limit },
    {
      item: (row) => ({ ...toListed(row), user_id: row.user_id, username: row.username }),
      position: ({ id }) => ({ value: null, id }),
    },
  );
}

/** Lists the profiles of device logins, oldest first. */
export const listProfiles = async (handle: Handle, query: ListQuery): Promise<Page<Profile>> =>
  pageOfFew('profiles', (await allProfiles.all(handle, {})).map(toProfile), query);

/** Lists the registered applications, oldest first. */
export const listApplications = async (handle: Handle, query: ListQuery): Promise<Page<Application>> =>
  pageOfFew('applications', (await allApplications.all(handle, {})).map(toApplication), query);

/**
 * Reads a filter of the audit log. The parameters have the same names as on the command line, and there is also `user_id`.
 * Times must be absolute.
 *
 * @throws AppError FIELD_INVALID with the field
 */
export async function readAuditQuery(handle: Handle, query: ListQuery): Promise<AuditFilter> {
  const parameters = new ListParameters(query);
  const userId = parameters.id('user_id');
  const texts = {
    user: parameters.text('user'),
    event: [query.event ?? []].flat(),
    address: parameters.text('address'),
    application: parameters.text('application'),
    since: parameters.text('since'),
    until: parameters.text('until'),
  };
  const filter = await readAuditFilter(handle, texts, parseInstant);
  if (userId === undefined) return filter;
  return { ...filter, userIds: filter.userIds ? filter.userIds.filter((id) => id === userId) : [userId] };
}

/**
 * Lists events of the audit log, newest first.
 *
 * @throws AppError FIELD_INVALID with the field; CURSOR_INVALID
 */
export async function listAudit(handle: Handle, query: ListQuery): Promise<Page<AuditEvent>> {
  const parameters = new ListParameters(query);
  const limit = parameters.limit();
  const filter = await readAuditQuery(handle, query);
  const after = fromCursor('audit', filter, parameters.text('after'));
  const place = after && { at: Number(after.value), id: Number(after.id) };
  const { events, next } = await listAuditEvents(handle, filter, { limit, after: place });
  return { items: events, next: next ? toCursor('audit', filter, { value: next.at, id: next.id }) : null };
}
