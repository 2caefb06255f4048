import { Value } from 'typebox/value';
import { createToken, lifeDaysOf } from '../api-tokens/create-token.ts';
import { revokeOwnToken } from '../api-tokens/revoke-token.ts';
import { type TokenRequest, tokenRequest } from '../api-tokens/schemas.ts';
import { MAX_LIFE_DAYS, tokenScopes } from '../api-tokens/token.ts';
import { mayUseApplication } from '../applications/may-use-application.ts';
import { findRegistry, nameApplications } from '../applications/registry.ts';
import { AppError } from '../errors/app-error.ts';
import { actorOf } from '../http/actor.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { getSession } from '../sessions/guards.ts';
import {
  accountForm,
  confirmByForm,
  confirmErrors,
  page,
  requireProofInput,
  sending,
  showAccountPage,
  takeShownOnce,
  textOf,
} from './form-guards.ts';
import { type IdForm, idForm, type TokenForm, tokenForm } from './form-schemas.ts';
import { fieldsOf } from './guards.ts';
import { listOwnTokens } from './list-own-tokens.ts';
import type { AccountView } from './page/account/page.ts';
import type { ShownOnce } from './shown-once.ts';

const MAX_NAME = 255;

type Values = (AccountView & { view: 'tokens' })['values'];

const NO_VALUES: Values = { name: '', scope: tokenScopes[0], expiresDays: '', allowed_apps: [] };

interface Shown {
  values?: Values;
  created?: { name: string; token: string } | undefined;
}

/**
 * Returns the applications that the user may choose for a token: active applications with their names, and other
 * keys that the user is allowed to use.
 */
async function choosableApps(call: Call): Promise<{ key: string; name: string }[]> {
  const user = await getSession(call);
  const { active } = await findRegistry(call.services);
  const registered = [...active.values()].filter((one) => mayUseApplication(user, one));
  const others = user.allowedApps.filter((key) => !active.has(key.toLowerCase()));
  const named = [...registered.map(({ key, name }) => ({ key, name })), ...others.map((key) => ({ key, name: key }))];
  return named.sort((one, other) => one.name.localeCompare(other.name));
}

async function tokensOf(call: Call, { values = NO_VALUES, created }: Shown = {}): Promise<AccountView> {
  const { userId, role } = await getSession(call);
  const scopes = tokenScopes.filter((scope) => scope !== 'admin' || role === 'superadmin');
  const listed = await listOwnTokens(call.services, userId);
  const registry = await findRegistry(call.services);
  const tokens = listed.map((one) => ({ ...one, apps: nameApplications(registry, one.allowed_apps) }));
  return { view: 'tokens', tokens, scopes: [...scopes], apps: await choosableApps(call), values, created };
}

async function showTokens(call: Call) {
  const kept = await takeShownOnce(call, 'token');
  return showAccountPage(call, await tokensOf(call, { created: kept?.kind === 'token' ? kept : undefined }));
}

function valuesIn(body: unknown): Values {
  const { name, scope, expiresDays, allowed_apps: apps = [] } = fieldsOf(body);
  return {
    name: textOf(name),
    scope: textOf(scope),
    expiresDays: textOf(expiresDays).trim(),
    allowed_apps: [apps].flat().map(textOf),
  };
}

function parseDays(typed: string): number {
  const days = /^\d{1,4}$/.test(typed) ? Number(typed) : 0;
  if (days >= 1 && days <= MAX_LIFE_DAYS) return days;
  throw new AppError('EXPIRES_DAYS_INVALID', { field: 'expiresDays', maximum: MAX_LIFE_DAYS });
}

/** Parses the form for a new token. Returns the same request as the body of POST /api/token. */
function parseTokenForm(body: unknown): TokenRequest {
  const { name, scope, expiresDays, allowed_apps } = valuesIn(body);
  if (name.trim() === '') throw new AppError('MISSING_REQUIRED_FIELD', { field: 'name' });
  if (name.length > MAX_NAME) throw new AppError('TOKEN_NAME_INVALID', { field: 'name' });
  const known = tokenScopes.find((one) => one === scope);
  if (!known) throw new AppError('TOKEN_SCOPE_INVALID', { field: 'scope' });
  const life = expiresDays === '' ? {} : { expiresDays: parseDays(expiresDays) };
  const apps = allowed_apps.length === 0 ? {} : { allowed_apps };
  if (!Value.Check(tokenRequest.properties.allowed_apps, allowed_apps))
    throw new AppError('ALLOWED_APPS_INVALID', { field: 'allowed_apps' });
  return { name, scope: known, ...life, ...apps };
}

function checkTokenForm(call: Call): void {
  lifeDaysOf(parseTokenForm(call.body));
  requireProofInput(call);
}

async function create(call: Call<TokenForm>): Promise<ShownOnce> {
  const request = parseTokenForm(call.body);
  const session = await getSession(call);
  if (request.scope === 'admin' && session.role !== 'superadmin') throw new AppError('SUPERADMIN_REQUIRED');
  if (request.scope === 'admin') await confirmByForm(call);
  const created = await createToken({ ...call.services, actor: actorOf(call) }, session, request);
  return { kind: 'token', name: created.name, token: created.token };
}

function requireId({ body }: Call<IdForm>): void {
  if (!/^[1-9]\d{0,14}$/.test(textOf(body.id))) throw new AppError('ID_INVALID', { field: 'id' });
}

async function revoke(call: Call<IdForm>): Promise<void> {
  const { userId } = await getSession(call);
  await revokeOwnToken({ database: call.services.database, actor: actorOf(call) }, Number(call.body.id), userId);
}

/** The page of the user's API tokens, and its forms. */
export const myTokenPageRoutes: AnyRoute[] = [
  defineRoute({
    ...page,
    path: '/authsvc/account/tokens',
    operationId: 'showOwnTokensPage',
    summary: 'Show your own API tokens',
    handle: showTokens,
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account/tokens',
    operationId: 'sendTokenForm',
    summary: 'Submit the form that creates an API token',
    body: form(tokenForm),
    errors: [
      ...confirmErrors,
      'MISSING_REQUIRED_FIELD',
      'TOKEN_NAME_INVALID',
      'TOKEN_SCOPE_INVALID',
      'EXPIRES_DAYS_INVALID',
      'ALLOWED_APPS_INVALID',
      'TOKEN_APPS_NOT_ALLOWED',
      'TOKEN_LIMIT_REACHED',
      'SUPERADMIN_REQUIRED',
    ],
    checkInput: checkTokenForm,
    ...accountForm({
      view: 'tokens',
      done: 'tokenCreated',
      make: create,
      again: (call) => tokensOf(call, { values: valuesIn(call.body) }),
    }),
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account/tokens/revoke',
    operationId: 'sendTokenRevocationForm',
    summary: 'Submit the form that revokes an API token',
    body: form(idForm),
    errors: ['ID_INVALID', 'TOKEN_NOT_FOUND'],
    checkInput: requireId,
    ...accountForm({ view: 'tokens', done: 'tokenRevoked', work: revoke, again: (call) => tokensOf(call) }),
  }),
];
