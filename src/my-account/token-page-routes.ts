import { createToken, lifeDaysOf } from '../api-tokens/create-token.ts';
import { revokeOwnToken } from '../api-tokens/revoke-token.ts';
import type { TokenRequest } from '../api-tokens/schemas.ts';
import { MAX_LIFE_DAYS, tokenScopes } from '../api-tokens/token.ts';
import { AppError } from '../errors/app-error.ts';
import { actorOf } from '../http/actor.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { getSession } from '../sessions/guards.ts';
import {
  confirmByForm,
  confirmErrors,
  page,
  sendForm,
  sending,
  showAccountPage,
  showOnce,
  takeShownOnce,
  textOf,
} from './form-guards.ts';
import { type IdForm, idForm, type TokenForm, tokenForm } from './form-schemas.ts';
import { listOwnTokens } from './list-own-tokens.ts';
import type { AccountView } from './page/account/page.ts';

const MAX_NAME = 255;
const NO_VALUES = { name: '', scope: tokenScopes[0], expiresDays: '' };

interface Shown {
  values?: { name: string; scope: string; expiresDays: string };
  created?: { name: string; token: string } | undefined;
}

async function tokensOf(call: Call, { values = NO_VALUES, created }: Shown = {}): Promise<AccountView> {
  const { userId, role } = await getSession(call);
  const scopes = tokenScopes.filter((scope) => scope !== 'admin' || role === 'superadmin');
  return { view: 'tokens', tokens: await listOwnTokens(call.services, userId), scopes: [...scopes], values, created };
}

async function showTokens(call: Call) {
  const kept = await takeShownOnce(call);
  return showAccountPage(call, await tokensOf(call, { created: kept?.kind === 'token' ? kept : undefined }));
}

/** What the form asks for, as POST /api/token takes it. */
function parseTokenForm({ name, scope, expiresDays }: Record<'name' | 'scope' | 'expiresDays', string>): TokenRequest {
  if (name.trim() === '') throw new AppError('MISSING_REQUIRED_FIELD', { field: 'name' });
  if (name.length > MAX_NAME) throw new AppError('TOKEN_NAME_INVALID', { field: 'name' });
  const known = tokenScopes.find((one) => one === scope);
  if (!known) throw new AppError('TOKEN_SCOPE_INVALID', { field: 'scope' });
  if (expiresDays === '') return { name, scope: known };
  const days = /^\d{1,4}$/.test(expiresDays) ? Number(expiresDays) : 0;
  if (days < 1 || days > MAX_LIFE_DAYS)
    throw new AppError('EXPIRES_DAYS_INVALID', { field: 'expiresDays', maximum: MAX_LIFE_DAYS });
  return { name, scope: known, expiresDays: days };
}

function sendToken(call: Call<TokenForm>) {
  const { name, scope, expiresDays } = call.body;
  const values = { name: textOf(name), scope: textOf(scope), expiresDays: textOf(expiresDays).trim() };
  return sendForm(call, {
    view: 'tokens',
    done: 'tokenCreated',
    work: async () => {
      const request = parseTokenForm(values);
      lifeDaysOf(request);
      const session = await getSession(call);
      if (request.scope === 'admin' && session.role !== 'superadmin') throw new AppError('SUPERADMIN_REQUIRED');
      if (request.scope === 'admin') await confirmByForm(call);
      const created = await createToken({ ...call.services, actor: actorOf(call) }, session, request);
      await showOnce(call, { kind: 'token', name: created.name, token: created.token });
    },
    again: () => tokensOf(call, { values }),
  });
}

async function revoke(call: Call<IdForm>): Promise<void> {
  const { userId } = await getSession(call);
  const id = textOf(call.body.id);
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError('ID_INVALID', { field: 'id' });
  await revokeOwnToken({ database: call.services.database, actor: actorOf(call) }, Number(id), userId);
}

/** The page of the own API tokens, and its forms. */
export const myTokenPageRoutes: AnyRoute[] = [
  defineRoute({
    ...page,
    path: '/authsvc/account/tokens',
    operationId: 'showOwnTokensPage',
    summary: 'The page of the own API tokens',
    handle: showTokens,
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account/tokens',
    operationId: 'sendTokenForm',
    summary: 'The form of that page that creates a token',
    body: form(tokenForm),
    errors: [
      ...confirmErrors,
      'MISSING_REQUIRED_FIELD',
      'TOKEN_NAME_INVALID',
      'TOKEN_SCOPE_INVALID',
      'EXPIRES_DAYS_INVALID',
      'TOKEN_LIMIT_REACHED',
      'SUPERADMIN_REQUIRED',
    ],
    handle: sendToken,
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account/tokens/revoke',
    operationId: 'sendTokenRevocationForm',
    summary: 'The form of that page that revokes a token',
    body: form(idForm),
    errors: ['ID_INVALID', 'TOKEN_NOT_FOUND'],
    handle: (call) =>
      sendForm(call, {
        view: 'tokens',
        done: 'tokenRevoked',
        work: () => revoke(call),
        again: () => tokensOf(call),
      }),
  }),
];
