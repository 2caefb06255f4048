// Configures oidc-provider, the library that implements OpenID Connect. This file is loaded at the first request
// that needs it.
import { timingSafeEqual } from 'node:crypto';
import Provider, {
  type Account,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { findRegistry } from '../applications/registry.ts';
import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';
import type { ForeignHandler } from '../http/mount.ts';
import type { Services } from '../http/route.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../lib/clock.ts';
import { sha256 } from '../lib/digest.ts';
import { newUuid, randomText } from '../lib/random.ts';
import { adapters } from './adapter.ts';
import { claimsOf } from './claims.ts';
import { DEVICE_GRANT, REGISTERED_URIS, secretHashes } from './clients.ts';
import { DEVICE_SECONDS } from './device-codes.ts';
import { findGrant } from './find-grant.ts';
import { acrOf, allScopes, type GrantUser, OFFLINE_PARAMETER, parseScopes } from './grant.ts';
import { CODE_SECONDS } from './issue-code.ts';
import { type JwtKey, openJwt } from './jwt.ts';
import { privateKeyOf, type SigningKey } from './keys.ts';
import { askedOf, nextStep, type Step } from './next-step.ts';
import { OIDC, paths } from './paths.ts';
import { isRegistered, withParameters } from './redirect-uri.ts';
import { describeRepeated } from './repeated.ts';
import { ownReply } from './replies.ts';
import { WAITING_MS } from './requests.ts';
import { isAudienceOf, isResource } from './resources.ts';
import { type Visit, visitOf } from './visit.ts';

type Needs = Pick<
  Services,
  | 'database'
  | 'registryCache'
  | 'grantCache'
  | 'accessTokenCache'
  | 'dataSealer'
  | 'clock'
  | 'outbox'
  | 'baseUrl'
  | 'limiter'
>;
type Context = KoaContextWithOIDC;

const HOUR_SECONDS = HOUR_MS / SECOND_MS;
const REFRESH_SECONDS = (30 * DAY_MS) / SECOND_MS;
const REFRESH_CHAIN_SECONDS = (365 * DAY_MS) / SECOND_MS;

/** Creates a handler with which the library answers one request. */
export type Answerer = (visit: Visit) => ForeignHandler;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the registered redirect URIs of a client, which are in a property that the library does not know. */
const registeredUris = (client: object): string[] => {
  const uris: unknown = Reflect.get(client, REGISTERED_URIS);
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
};

async function userOf(services: Needs, context: Context, grantId: string | undefined): Promise<GrantUser | undefined> {
  if (grantId === undefined) return visitOf(context.req).visitor?.user;
  return (await findGrant(services, grantId))?.grant.user;
}

/** Finds the user of a session or a grant. Returns undefined if it is not the user that the library asks for. */
const findAccount =
  (services: Needs): NonNullable<Configuration['findAccount']> =>
  async (context, sub, token): Promise<Account | undefined> => {
    const grantId: unknown = Reflect.get(Object(token), 'grantId');
    const user = await userOf(services, context, typeof grantId === 'string' ? grantId : undefined);
    if (user?.sub !== sub) return undefined;
    return { accountId: sub, claims: (_use, scope) => claimsOf(services, user, parseScopes(scope)) };
  };

/**
 * Decides what the user must do before this request gets its answer. Decides only once per request. If a request
 * names no scope, it is refused, because there is no default scope (RFC 6749 §3.3).
 */
const stepOf =
  (services: Needs, keys: readonly JwtKey[]) =>
  async (context: Context): Promise<Step> => {
    const visit = visitOf(context.req);
    const { client, params = {} } = context.oidc;
    const application = (await findRegistry(services)).active.get(client?.clientId ?? '');
    if (!application) throw new errors.InvalidClient('client is invalid', 'client not found');
    if (context.oidc.requestParamOIDCScopes.size === 0)
      throw new errors.InvalidScope('the request names no known scope', String(params.scope ?? ''));
    const subOfHint = (token: string) => textOf(openJwt(keys, token)?.sub);
    const asked = askedOf(params, subOfHint);
    const { visitor, waiting: progress } = visit;
    visit.step ??= nextStep(services.database, { asked, application, visitor, progress, now: services.clock.now() });
    return visit.step;
  };

/**
 * Creates the library's interaction policy from our decision. Each prompt stands for some of our steps, and has the
 * error that the application gets if no page may be shown.
 */
function policyOf(step: (context: Context) => Promise<Step>) {
  const { Check, Prompt } = interactionPolicy;
  const prompt = (name: string, steps: readonly Step[], error: string) => {
    const check = new Check(`${name}_needed`, 'the person has to act', error, async (context) =>
      steps.includes(await step(context)),
    );
    const made = new Prompt({ name, requestable: name !== 'access' }, check);
    if (made.requestable) made.checks.remove(`${name}_prompt`);
    return made;
  };
  return [
    prompt('login', ['sign-in', 'second-step'], 'login_required'),
    prompt('select_account', ['choose'], 'login_required'),
    prompt('access', ['refused'], 'access_denied'),
    prompt('consent', ['consent'], 'consent_required'),
  ];
}

/**
 * Refuses parameters that the library would accept: unknown parameters that are sent twice, and numbers such as
 * `1e3` or `+5`.
 */
async function checkSpelling({ method, query, oidc }: Context): Promise<void> {
  const fields: object = (method === 'POST' ? oidc.body : query) ?? {};
  const fault = describeRepeated(fields);
  if (fault !== undefined) throw new errors.InvalidRequest(fault);
  const maxAge: unknown = Reflect.get(fields, 'max_age') ?? '';
  if (!/^\d*$/.test(String(maxAge))) throw new errors.InvalidRequest('invalid max_age parameter value');
}

/** Converts an error that cannot be sent to the application into an error for our error page. */
function refusalOf(error: unknown): AppError {
  const code: ErrorName =
    error instanceof errors.InvalidClient
      ? 'OIDC_CLIENT_UNKNOWN'
      : error instanceof errors.InvalidRedirectUri
        ? 'OIDC_REDIRECT_URI_INVALID'
        : error instanceof errors.SessionNotFound
          ? 'OIDC_REQUEST_EXPIRED'
          : 'OIDC_REQUEST_INVALID';
  return new AppError(code, { cause: error });
}

const resourceFeature = (services: Needs) => ({
  enabled: true,
  defaultResource: async (_context: Context, _client: unknown, oneOf?: readonly string[]) => oneOf,
  useGrantedResource: async () => true,
  getResourceServerInfo: async (context: Context, resource: string) => {
    const others = Object.keys(context.oidc.resourceServers ?? {}).filter((other) => other !== resource);
    if (others.length > 0 || !(await isResource(services, resource))) throw new errors.InvalidTarget();
    const scope = allScopes.join(' ');
    return { scope, audience: resource, accessTokenFormat: 'opaque' as const, accessTokenTTL: HOUR_SECONDS };
  },
});

const featuresOf = (services: Needs): NonNullable<Configuration['features']> => ({
  devInteractions: { enabled: false },
  deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****', deviceInfo: () => ({}) },
  introspection: {
    enabled: true,
    allowedPolicy: async (context, client, token) => {
      if (client.clientAuthMethod === 'none') return false;
      const grantId: unknown = Reflect.get(token, 'grantId');
      if (typeof grantId === 'string')
        visitOf(context.req).tokenUser = (await findGrant(services, grantId))?.grant.user;
      if (token.clientId === client.clientId) return true;
      const application = (await findRegistry(services)).active.get(client.clientId);
      const audience: unknown = Reflect.get(token, 'aud');
      return application !== undefined && typeof audience === 'string' && isAudienceOf(application, audience);
    },
  },
  revocation: {
    enabled: true,
    allowedPolicy: async (_context, client, token) => {
      if (token.clientId === client.clientId) return true;
      throw new errors.InvalidRequest('the token belongs to another application');
    },
  },
  pushedAuthorizationRequests: { enabled: true },
  clientCredentials: { enabled: true },
  resourceIndicators: resourceFeature(services),
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: true },
});

/**
 * Creates the grant of an authorization once the user has nothing more to do. It is stored together with the code.
 */
const newGrant: NonNullable<Configuration['loadExistingGrant']> = async (context) => {
  const { account, client, requestParamOIDCScopes, resourceServers } = context.oidc;
  if (!account || !client) return undefined;
  const grant = new context.oidc.provider.Grant({ accountId: account.accountId, clientId: client.clientId });
  grant.jti = newUuid();
  const scope = [...requestParamOIDCScopes].join(' ');
  grant.addOIDCScope(scope);
  for (const resource of Object.keys(resourceServers ?? {})) grant.addResourceScope(resource, scope);
  return grant;
};

const routes = {
  authorization: paths.authorize,
  code_verification: paths.device,
  device_authorization: paths.deviceAuthorization,
  introspection: paths.introspect,
  jwks: paths.jwks,
  pushed_authorization_request: paths.par,
  revocation: paths.revoke,
  token: paths.token,
  userinfo: paths.userinfo,
};

/** The lifetimes in seconds. */
const lifetimes = ({ clock }: Needs): NonNullable<Configuration['ttl']> => ({
  AccessToken: HOUR_SECONDS,
  AuthorizationCode: CODE_SECONDS,
  ClientCredentials: HOUR_SECONDS,
  DeviceCode: DEVICE_SECONDS,
  Grant: REFRESH_CHAIN_SECONDS,
  IdToken: HOUR_SECONDS,
  Interaction: WAITING_MS / SECOND_MS,
  RefreshToken: (_context, token) => {
    const left = (token.iiat ?? 0) + REFRESH_CHAIN_SECONDS - Math.floor(clock.now() / SECOND_MS);
    return Math.max(1, Math.min(REFRESH_SECONDS, left));
  },
  Session: HOUR_SECONDS,
});

function configurationOf(services: Needs, keys: readonly SigningKey[]): Configuration {
  const published = keys.map(({ id, alg, publicJwk }) => ({ id, alg, jwk: publicJwk }));
  const jwks = keys.map((key) => ({
    ...privateKeyOf(key, services.dataSealer).jwk,
    kid: key.id,
    alg: key.alg,
    use: 'sig',
  }));
  return {
    adapter: adapters(services),
    jwks: { keys: jwks },
    // The library requires a key for its cookies, but no cookie of it is ever sent.
    cookies: { keys: [randomText(24)] },
    scopes: [...allScopes],
    claims: {
      openid: ['sub', 'acr', 'amr', 'auth_time'],
      profile: ['name', 'preferred_username', 'picture', 'updated_at'],
      email: ['email', 'email_verified'],
      roles: ['roles'],
      apps: ['apps'],
    },
    acrValues: ['aal1', 'aal2'],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'] },
    subjectTypes: ['public'],
    conformIdTokenClaims: false,
    // Otherwise a request without a redirect URI would use the placeholder from `toClient`.
    allowOmittingSingleRegisteredRedirectUri: false,
    // The library calls this check for every request, even if the parameter is missing.
    extraParams: { [OFFLINE_PARAMETER]: checkSpelling },
    extraClientMetadata: { properties: [REGISTERED_URIS, 'pkce_required'] },
    features: featuresOf(services),
    findAccount: findAccount(services),
    loadExistingGrant: newGrant,
    expiresWithSession: async () => false,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    revokeGrantPolicy: async () => true,
    pkce: {
      required: (context, client) =>
        Reflect.get(client, 'pkce_required') !== false || context.oidc.params?.nonce === undefined,
    },
    clientBasedCORS: () => true,
    interactions: {
      policy: policyOf(stepOf(services, published)),
      url: (_context, interaction) => `${OIDC}/interaction/${interaction.uid}`,
    },
    renderError: async (context, out, error) => {
      if (context.path.startsWith(paths.authorize)) visitOf(context.req).refusal ??= refusalOf(error);
      else context.body = out;
    },
    routes,
    ttl: lifetimes(services),
  };
}

/**
 * The library with our own response modes. They add parameters to a redirect URI without changing the rest, and use
 * no inline script.
 */
class OwnProvider extends Provider {
  override registerResponseMode(...[name, handler]: Parameters<Provider['registerResponseMode']>): void {
    super.registerResponseMode(name, ownModes[name] ?? handler);
  }
}

const texts = (payload: object): Record<string, string> =>
  Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));

/** The response modes in which an application can receive a code. */
const responseModes: readonly string[] = ['query', 'form_post'];

type ResponseMode = Parameters<Provider['registerResponseMode']>[1];

const byQuery: ResponseMode = (context, redirectUri, payload) => {
  context.status = 303;
  context.set('location', withParameters(redirectUri, texts(payload)));
  context.body = '';
};

const ownModes: Record<string, ResponseMode> = {
  query: byQuery,
  // The library would use the fragment for errors about unsupported response types.
  fragment: byQuery,
  form_post: (context, redirectUri, payload) => {
    visitOf(context.req).form = { action: redirectUri, fields: texts(payload) };
  },
};

/** Returns the OAuth grant type that the current request uses. */
function wantedGrant({ path, oidc }: Context): string | undefined {
  const given: unknown = oidc.params?.grant_type;
  if (path === paths.token) return typeof given === 'string' ? given : undefined;
  return path === paths.deviceAuthorization ? DEVICE_GRANT : undefined;
}

/**
 * Makes the library use the session of this service in place of its own. Also replaces its comparison of secrets
 * and redirect URIs with ours.
 */
function adjust(provider: Provider, services: Needs): void {
  const { Session, Client } = provider;
  Session.get = async (context) => {
    const session = new Session();
    const { visitor } = visitOf(context.req);
    if (visitor) {
      const { sessionId: uid, user, authenticatedAt, amr } = visitor;
      const loginTs = Math.floor(authenticatedAt / SECOND_MS);
      Object.assign(session, { uid, accountId: user.sub, loginTs, amr, acr: acrOf(amr) });
    }
    // With this, the library neither stores the session nor sets a cookie for it.
    Object.defineProperty(session, 'destroyed', { value: true });
    return session;
  };
  Client.prototype.redirectUriAllowed = function redirectUriAllowed(uri) {
    return isRegistered(uri, registeredUris(this), this.clientAuthMethod === 'none');
  };
  const { grantTypeAllowed } = Client.prototype;
  Client.prototype.grantTypeAllowed = function isGrantTypeAllowed(type) {
    const isAllowed = grantTypeAllowed.call(this, type);
    // The library would answer `invalid_request`, but RFC 6749 §5.2 and RFC 8628 §3.2 require
    // `unauthorized_client`.
    if (!isAllowed && Provider.ctx && wantedGrant(Provider.ctx) === type)
      throw new errors.UnauthorizedClient('the application may not get tokens in this way');
    return isAllowed;
  };
  // For an unsupported response type, every mode is accepted, so that the error is about the response type.
  Client.prototype.responseModeAllowed = (mode, type) => type !== 'code' || responseModes.includes(mode);
  Client.prototype.compareClientSecret = async function compareClientSecret(actual) {
    const given = Buffer.from(sha256(actual));
    const hashes = secretHashes(this.clientSecret ?? '', services.clock.now()).map((hash) => Buffer.from(hash));
    const isRight = hashes.filter((hash) => hash.length === given.length && timingSafeEqual(hash, given)).length > 0;
    const context = Provider.ctx;
    if (!isRight && context) await visitOf(context.req).countWrongSecret?.(this.clientId);
    return isRight;
  };
}

/** Configures the library with these keys. Returns the function that creates its handlers. */
export function createAnswerer(services: Needs, keys: readonly SigningKey[]): Answerer {
  const provider = new OwnProvider(services.baseUrl(), configurationOf(services, keys));
  adjust(provider, services);
  provider.on('server_error', (context, error) => {
    visitOf(context.req).refusal = error;
  });
  provider.use(async (context, next) => {
    const visit = visitOf(context.req);
    // The library stores nothing in the browser. The URL of a pending request contains its id instead.
    const get = (name: string) => (name === provider.cookieName('resume') ? visit.waiting?.id : undefined);
    Object.defineProperty(context, 'cookies', { value: { get, set: () => undefined } });
    const readable = context.response.get('access-control-allow-origin');
    if (visit.fault === undefined) await next();
    else {
      context.status = 400;
      context.body = { error: 'invalid_request', error_description: visit.fault };
    }
    const { body, path } = context;
    if (typeof body === 'object' && body !== null) {
      const own = ownReply(services.baseUrl(), path, body, visit);
      context.status = own.status ?? context.status;
      context.body = own.body;
      if (context.status === 401 && visit.isNameless) context.set('www-authenticate', 'Basic realm="authsvc"');
    }
    for (const name of ['access-control-allow-origin', 'access-control-expose-headers']) context.remove(name);
    if (readable) context.set('access-control-allow-origin', readable);
    if (visit.refusal !== undefined || visit.form) context.respond = false;
  });
  const answer = provider.callback();
  return (visit) => async (request, response) => {
    request.oidcVisit = visit;
    await answer(request, response);
  };
}
