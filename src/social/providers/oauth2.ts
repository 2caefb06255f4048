import { AppError } from '../../errors/app-error.ts';
import type { OAuth2Settings } from '../../settings/identity-providers.ts';
import { parseAccountId } from '../account-id.ts';
import { readJsonObject, requestProvider } from '../outgoing.ts';
import type { AuthorizationAnswer, AuthorizationRequest, Provider } from '../provider.ts';
import { tokenRefusal } from '../token-refusal.ts';

/** What may stand in a header: the characters of RFC 6749 A.12 without the space. */
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

/** No setting names the issuer of an OAuth 2.0 provider; one that names itself must at least live where the browser went. */
function checkIssuer(issuer: string | undefined, settings: OAuth2Settings): void {
  if (issuer === undefined) return;
  const expected = new URL(settings.authorizationUrl).origin;
  if (URL.canParse(issuer) && new URL(issuer).origin === expected) return;
  throw new AppError('PROVIDER_PROOF_INVALID', { cause: new Error('the answer names another issuer') });
}

/** Exchanges the code for a token. GitHub refuses with status 200, so that the body decides. */
async function accessToken(answer: AuthorizationAnswer, settings: OAuth2Settings): Promise<string> {
  const response = await requestProvider(settings.tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: settings.clientId ?? '',
      client_secret: settings.clientSecret ?? '',
      code: answer.code,
      redirect_uri: answer.redirectUri,
      code_verifier: answer.verifier,
    }),
  });
  const { error, access_token, token_type } = await readJsonObject(response);
  if (typeof error === 'string') throw tokenRefusal(error);
  const isBearer = token_type === undefined || (typeof token_type === 'string' && /^bearer$/i.test(token_type));
  if (response.ok && isBearer && typeof access_token === 'string' && TOKEN_SHAPE.test(access_token))
    return access_token;
  throw new AppError('PROVIDER_ANSWER_INVALID', {
    cause: new Error(`the token endpoint answered ${response.status} without a token`),
  });
}

/**
 * The account that a code stands for. The token is used for this one question and forgotten.
 *
 * @see RFC 6749 §4.1.3, RFC 6750 §2.1; https://docs.github.com/apps/oauth-apps/building-oauth-apps
 */
async function accountId(answer: AuthorizationAnswer, settings: OAuth2Settings): Promise<string> {
  checkIssuer(answer.issuer, settings);
  const token = await accessToken(answer, settings);
  const response = await requestProvider(settings.userUrl, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) {
    const cause = new Error(`the user endpoint answered ${response.status}`);
    const isRefused = response.status === 401 || response.status === 403;
    throw new AppError(isRefused ? 'PROVIDER_CODE_INVALID' : 'PROVIDER_ANSWER_INVALID', { cause });
  }
  const user = await readJsonObject(response);
  const field = settings.idField;
  return parseAccountId(Object.hasOwn(user, field) ? user[field] : undefined);
}

/** Sign-in by plain OAuth 2.0: GitHub, GitHub Enterprise, Gitea, GitLab and others. */
export const oauth2Provider = (settings: OAuth2Settings): Provider => ({
  settings,
  startUrl: async (request) => authorizationUrl(request, settings),
  accountId: (answer) => accountId(answer, settings),
});
