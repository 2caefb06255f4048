import type { OAuth2Settings } from '../../settings/identity-providers.ts';
import { parseAccountId } from '../account-id.ts';
import { fault, fieldNames, quoted } from '../fault.ts';
import { describeEndpoint, type Endpoint, readJsonObject, requestProvider } from '../outgoing.ts';
import type { AuthorizationAnswer, AuthorizationRequest, Provider } from '../provider.ts';
import { readTokenAnswer } from '../token-endpoint.ts';

/** The characters that an access token may have in a header: those of RFC 6749 A.12 without the space. */
const TOKEN_SHAPE = /^[\x21-\x7e]{1,8192}$/;

function authorizationUrl(request: AuthorizationRequest, settings: OAuth2Settings): URL {
  const url = new URL(settings.authorizationUrl);
  const parameters = {
    response_type: 'code',
    client_id: settings.clientId ?? '',
    redirect_uri: request.redirectUri,
    ...(settings.scope === undefined ? {} : { scope: settings.scope }),
    state: request.state,
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/**
 * Checks the issuer in a callback. No setting contains the issuer of an OAuth 2.0 provider. If the callback names an
 * issuer, its origin must be that of the authorization endpoint.
 */
function checkIssuer(issuer: string | undefined, settings: OAuth2Settings): void {
  if (issuer === undefined) return;
  const expected = new URL(settings.authorizationUrl).origin;
  if (URL.canParse(issuer) && new URL(issuer).origin === expected) return;
  const words = `the answer names the issuer ${quoted(issuer)}, but ${settings.keys.AUTHORIZATION_URL} is at ${expected}`;
  throw fault('PROVIDER_PROOF_INVALID', words);
}

/** Exchanges the code for an access token. */
async function accessToken(answer: AuthorizationAnswer, settings: OAuth2Settings): Promise<string> {
  const endpoint = { url: settings.tokenUrl, name: 'token endpoint', setting: settings.keys.TOKEN_URL };
  const { clientId = '', clientSecret = '' } = settings;
  const response = await requestProvider(endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      client_secret: clientSecret,
      code: answer.code,
      redirect_uri: answer.redirectUri,
      code_verifier: answer.verifier,
    }),
  });
  const fields = await readTokenAnswer(response, endpoint, [answer.code, answer.verifier, clientSecret]);
  const { access_token: token, token_type: type = 'bearer' } = fields;
  const isBearer = typeof type === 'string' && /^bearer$/i.test(type);
  if (isBearer && typeof token === 'string' && TOKEN_SHAPE.test(token)) return token;
  const what = isBearer ? 'without a usable access_token' : 'with a token that is not a bearer token';
  const words = `${describeEndpoint(endpoint)} answered ${response.status} ${what}; it sent the fields ${fieldNames(fields)}`;
  throw fault('PROVIDER_ANSWER_INVALID', words);
}

/** Returns whether the user endpoint refused because of too many requests. GitHub sends status 403 in that case. */
const isRateLimited = ({ headers }: Response): boolean =>
  headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0';

/** Creates the error for a refusal by the user endpoint. The token is new, so the URL or the scope must be wrong. */
async function userRefusal(response: Response, endpoint: Endpoint, token: string): Promise<Error> {
  const value: unknown = await response.json().catch(() => undefined);
  const message =
    typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
      ? `: ${quoted(value.message, [token])}`
      : '';
  const what = `${describeEndpoint(endpoint)} answered ${response.status} to a new access token${message}`;
  if (response.status !== 401 && response.status !== 403) return fault('PROVIDER_ANSWER_INVALID', what);
  if (isRateLimited(response)) return fault('PROVIDER_UNREACHABLE', what);
  return fault('PROVIDER_MISCONFIGURED', what);
}

/**
 * Exchanges a code and returns the id of the person's account. The access token is used for this one request and not
 * stored.
 *
 * @see RFC 6749 §4.1.3, RFC 6750 §2.1; https://docs.github.com/apps/oauth-apps/building-oauth-apps
 */
async function accountId(answer: AuthorizationAnswer, settings: OAuth2Settings): Promise<string> {
  checkIssuer(answer.issuer, settings);
  const token = await accessToken(answer, settings);
  const endpoint = { url: settings.userUrl, name: 'user endpoint', setting: settings.keys.USER_URL };
  const response = await requestProvider(endpoint, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw await userRefusal(response, endpoint, token);
  const user = await readJsonObject(response, endpoint);
  const field = settings.idField;
  const id = parseAccountId(Object.hasOwn(user, field) ? user[field] : undefined);
  if (id.isUsable) return id.text;
  const where = `the field ${JSON.stringify(field)} (${settings.keys.ID_FIELD}) of the account is ${id.problem}`;
  throw fault('PROVIDER_MISCONFIGURED', `${where}; ${describeEndpoint(endpoint)} sent the fields ${fieldNames(user)}`);
}

/** Creates a provider that uses plain OAuth 2.0, such as GitHub, GitHub Enterprise, Gitea or GitLab. */
export const oauth2Provider = (settings: OAuth2Settings): Provider => ({
  settings,
  startUrl: async (request) => authorizationUrl(request, settings),
  accountId: (answer) => accountId(answer, settings),
});
