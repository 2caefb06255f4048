// Stores the models of oidc-provider in our tables. The library has one class per model, and each model uses only a
// few methods of the adapter.
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { findRegistry } from '../applications/registry.ts';
import type { Services } from '../http/route.ts';
import { DAY_MS, SECOND_MS } from '../lib/clock.ts';
import { sha256 } from '../lib/digest.ts';
import { toClient } from './clients.ts';
import { findDeviceCode, keepDeviceCode, useDeviceCode } from './device-codes.ts';
import { findGrant } from './find-grant.ts';
import { consume, type FoundToken, findClientToken, findToken, type TokenKind } from './find-token.ts';
import { acrOf, OFFLINE, OFFLINE_PARAMETER, parseScopes } from './grant.ts';
import { issueCode } from './issue-code.ts';
import { issueClientToken, issueToken } from './issue-token.ts';
import { dropRequest, findRequest, keepRequest } from './requests.ts';
import { deleteToken } from './token-queries.ts';
import { type Visit, visitOf } from './visit.ts';
import { endGrant } from './withdraw-grant.ts';

type Needs = Pick<Services, 'database' | 'registryCache' | 'grantCache' | 'accessTokenCache' | 'clock' | 'outbox'>;

/** The methods of the adapter that a model does not use. */
const unused: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/** Returns the request that the library is answering. */
function currentVisit(): Visit {
  const context = Provider.ctx;
  if (!context) throw new Error('the library works outside of a request');
  return visitOf(context.req);
}

const toSeconds = (ms: number): number => Math.floor(ms / SECOND_MS);
const toMs = (seconds: number | undefined): number => (seconds ?? 0) * SECOND_MS;
const oneOf = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value) ?? null;

function required(value: string | undefined): string {
  if (value === undefined) throw new Error('oidc-provider tried to store a model without a required field');
  return value;
}

/** Returns the fields of a code or token that come from its grant. */
function ofGrant({ grant, application }: Pick<FoundToken, 'grant' | 'application'>): AdapterPayload {
  return {
    accountId: grant.user.sub,
    clientId: application.key,
    grantId: grant.id,
    authTime: toSeconds(grant.authenticatedAt),
    acr: acrOf(grant.amr),
    amr: grant.amr,
    ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
    ...(grant.resource === null ? {} : { resource: grant.resource }),
    // Tokens contain the session id (`sid`) only if the application is notified when the session ends.
    ...(application.backchannelLogoutUri === null || grant.kind === 'device' ? {} : { sid: grant.sid }),
  };
}

const models: Record<string, (services: Needs) => Partial<Adapter>> = {
  Client: (services) => ({
    find: async (id) => {
      const application = (await findRegistry(services)).active.get(id);
      return application && toClient(application);
    },
  }),

  Grant: (services) => ({
    find: async (id) => {
      const found = await findGrant(services, id);
      if (!found) return undefined;
      const { grant, application } = found;
      const scope = grant.scopes.join(' ');
      return {
        jti: id,
        kind: 'Grant',
        accountId: grant.user.sub,
        clientId: application.key,
        exp: toSeconds(grant.expiresAt),
        openid: { scope },
        ...(grant.resource === null ? {} : { resources: { [grant.resource]: scope } }),
      };
    },
    destroy: (id) => endGrant({ ...services, actor: currentVisit().actor }, id),
  }),

  AuthorizationCode: (services) => ({
    upsert: async (code, payload) => {
      const visit = currentVisit();
      if (!visit.visitor) throw new Error('a code for a person who is not signed in');
      const offers = Provider.ctx?.oidc.params?.[OFFLINE_PARAMETER] !== undefined;
      const scopes = parseScopes(payload.scope ?? '');
      const isKept = await issueCode(services, visit, visit.visitor, {
        code,
        grantId: required(payload.grantId),
        key: required(payload.clientId),
        scopes: offers && !scopes.includes(OFFLINE) ? [...scopes, OFFLINE] : scopes,
        resource: oneOf(payload.resource),
        nonce: payload.nonce ?? null,
        redirectUri: required(payload.redirectUri),
        codeChallenge: payload.codeChallenge ?? null,
      });
      if (!isKept) throw new errors.InvalidRequestUri('request_uri was already used');
    },
    find: async (code) => {
      const found = await findToken(services, 'code', code);
      if (!found) return undefined;
      return {
        ...ofGrant(found),
        jti: code,
        kind: 'AuthorizationCode',
        scope: found.scopes,
        redirectUri: found.redirectUri ?? '',
        ...(found.codeChallenge === null ? {} : { codeChallenge: found.codeChallenge, codeChallengeMethod: 'S256' }),
        iat: toSeconds(found.createdAt),
        // A used code can be found for longer than it was valid, so that using it again ends its grant.
        exp: toSeconds(found.isConsumed ? found.expiresAt + DAY_MS : found.expiresAt),
        ...(found.isConsumed ? { consumed: true } : {}),
      };
    },
    consume: async (code) => {
      if (await consume(services, code, false)) return;
      const found = await findToken(services, 'code', code);
      if (found) await endGrant({ ...services, actor: currentVisit().actor }, found.grant.id);
      throw new errors.InvalidGrant('authorization code already consumed');
    },
  }),

  AccessToken: (services) => ({
    upsert: (token, payload) => keepToken(services, 'access', token, payload),
    find: async (token) => {
      const found = await findToken(services, 'access', token);
      if (!found) return undefined;
      const { resource: _resource, ...fields } = ofGrant(found);
      return {
        ...fields,
        jti: token,
        kind: 'AccessToken',
        scope: found.scopes,
        iat: toSeconds(found.createdAt),
        exp: toSeconds(found.expiresAt),
        ...(found.audience === null ? {} : { aud: found.audience }),
      };
    },
  }),

  RefreshToken: (services) => ({
    upsert: (token, payload) => keepToken(services, 'refresh', token, payload),
    find: async (token) => {
      const found = await findToken(services, 'refresh', token);
      return (
        found && {
          ...ofGrant(found),
          jti: token,
          kind: 'RefreshToken',
          scope: found.scopes,
          iat: toSeconds(found.createdAt),
          iiat: toSeconds(found.startedAt),
          exp: toSeconds(found.expiresAt),
          ...(found.isConsumed ? { consumed: true } : {}),
        }
      );
    },
    consume: async (token) => {
      const found = await findToken(services, 'refresh', token);
      if (found && (await consume(services, token, !found.application.isPublic))) return;
      if (found) await endGrant({ ...services, actor: currentVisit().actor }, found.grant.id);
      throw new errors.InvalidGrant('refresh token already used');
    },
  }),

  ClientCredentials: (services) => ({
    upsert: (token, payload) =>
      issueClientToken(services, {
        token,
        key: required(payload.clientId),
        scopes: payload.scope ?? '',
        audience: oneOf(payload.aud),
        expiresAt: toMs(payload.exp),
      }),
    find: async (token) => {
      const found = await findClientToken(services, token);
      return (
        found && {
          jti: token,
          kind: 'ClientCredentials',
          clientId: found.key,
          scope: found.scopes,
          iat: toSeconds(found.createdAt),
          exp: toSeconds(found.expiresAt),
          ...(found.audience === null ? {} : { aud: found.audience }),
        }
      );
    },
    destroy: async (token) => {
      await deleteToken.run(services.database, { hash: sha256(token) });
    },
  }),

  PushedAuthorizationRequest: (services) => ({
    upsert: (id, { request }, lifeSeconds = 0) =>
      keepRequest(services, { kind: 'pushed', id, payload: { request }, lifeMs: lifeSeconds * SECOND_MS }),
    find: async (id) => {
      const found = await findRequest(services, 'pushed', id);
      const request = found?.payload.request;
      if (!found || typeof request !== 'string') return undefined;
      const consumed = found.isConsumed ? { consumed: true } : {};
      return { jti: id, kind: 'PushedAuthorizationRequest', request, exp: toSeconds(found.expiresAt), ...consumed };
    },
    // The request is marked as used later, in the transaction that stores the code for it.
    consume: async (id) => {
      currentVisit().pushedId = id;
    },
  }),

  Interaction: (services) => ({
    upsert: (id, { params, trusted, parJti, prompt, returnTo, cid }, lifeSeconds = 0) => {
      const payload = { params, trusted, parJti, prompt, returnTo, cid };
      return keepRequest(services, { kind: 'waiting', id, payload, lifeMs: lifeSeconds * SECOND_MS });
    },
    find: async (id) => {
      const found = await findRequest(services, 'waiting', id);
      if (!found) return undefined;
      const { progress: _progress, ...payload } = found.payload;
      const refused = currentVisit().waiting?.hasRefused ? { result: { error: 'access_denied' } } : {};
      return { ...payload, ...refused, jti: id, kind: 'Interaction', exp: toSeconds(found.expiresAt) };
    },
    // A refused request is deleted here. Any other request is deleted in the transaction that stores the code for it.
    destroy: async (id) => {
      if (currentVisit().waiting?.hasRefused) await dropRequest(services.database, id);
    },
  }),

  DeviceCode: (services) => ({
    upsert: (code, payload) => keepDeviceCode(services, currentVisit(), code, payload),
    find: async (code) => {
      const found = await findDeviceCode(services, code, Provider.ctx?.oidc.client?.clientId);
      if (found === 'too-early') throw new errors.SlowDown();
      if (!found) return undefined;
      const { key, scopes, expiresAt, isDenied, granted } = found;
      return {
        jti: code,
        kind: 'DeviceCode',
        clientId: key,
        exp: toSeconds(expiresAt),
        ...(isDenied ? { error: 'access_denied', errorDescription: 'the person has refused' } : {}),
        ...(granted ? { ...ofGrant(granted), scope: scopes } : {}),
      };
    },
    consume: async (code) => {
      if (!(await useDeviceCode(services, code))) throw new errors.InvalidGrant('device code already used');
    },
  }),
};

async function keepToken(
  services: Needs,
  kind: Exclude<TokenKind, 'code'>,
  token: string,
  { grantId, scope = '', aud, iat, iiat, exp }: AdapterPayload,
): Promise<void> {
  const isKept = await issueToken(services, {
    token,
    kind,
    grantId: required(grantId),
    scopes: scope,
    audience: oneOf(aud),
    startedAt: toMs(iiat ?? iat),
    expiresAt: toMs(exp),
  });
  if (!isKept) throw new errors.InvalidGrant('the grant has ended');
}

/** Returns the adapter for a model, from the name of the model. */
export const adapters =
  (services: Needs) =>
  (name: string): Adapter => ({ ...unused, ...models[name]?.(services) });
