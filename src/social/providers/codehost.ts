import { AppError } from '../../errors/app-error.ts';
import type { Settings } from '../../settings/table.ts';
import { parseAccountId } from '../account-id.ts';
import { readJsonObject, requestProvider } from '../outgoing.ts';
import type { AuthorizationAnswer, AuthorizationRequest, Provider, ProviderServices } from '../provider.ts';
import { tokenRefusal } from '../token-refusal.ts';

/** What may stand in a header: the characters of RFC 6749 A.12 without the space. */
const TOKEN_SHAPE = /^[\x21-\x7e]{1,8192}$/;

async function startUrl(request: AuthorizationRequest, { settings }: ProviderServices): Promise<URL> {
  const url = new URL(settings.CODEHOST_AUTHORIZATION_URL);
  const parameters = {
    response_type: 'code',
    client_id: settings.CODEHOST_APP_CLIENT_ID ?? '',
    redirect_uri: request.redirectUri,
    scope: settings.CODEHOST_SCOPE,
    state: request.state,
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** A code host has no issuer that we know of; one that names itself must at least live where we sent the browser. */
function checkIssuer(issuer: string | undefined, settings: Settings): void {
  if (issuer === undefined) return;
  const expected = new URL(settings.CODEHOST_AUTHORIZATION_URL).origin;
  if (URL.canParse(issuer) && new URL(issuer).origin === expected) return;
  throw new AppError('PROVIDER_PROOF_INVALID', { cause: new Error('the answer names another issuer') });
}

/** Exchanges the code for a token. GitHub refuses with status 200, so that the body decides. */
async function accessToken(answer: AuthorizationAnswer, settings: Settings): Promise<string> {
  const response = await requestProvider(settings.CODEHOST_TOKEN_URL, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: settings.CODEHOST_APP_CLIENT_ID ?? '',
      client_secret: settings.CODEHOST_APP_CLIENT_SECRET ?? '',
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
 * Source  RFC 6749 §4.1.3, RFC 6750 §2.1; https://docs.github.com/apps/oauth-apps/building-oauth-apps
 */
async function accountId(answer: AuthorizationAnswer, { settings }: ProviderServices): Promise<string> {
  checkIssuer(answer.issuer, settings);
  const token = await accessToken(answer, settings);
  const response = await requestProvider(settings.CODEHOST_USER_URL, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) {
    const cause = new Error(`the user endpoint answered ${response.status}`);
    const isRefused = response.status === 401 || response.status === 403;
    throw new AppError(isRefused ? 'PROVIDER_CODE_INVALID' : 'PROVIDER_ANSWER_INVALID', { cause });
  }
  const user = await readJsonObject(response);
  const field = settings.CODEHOST_ID_FIELD;
  return parseAccountId(Object.hasOwn(user, field) ? user[field] : undefined);
}

/** Sign-in through a code host by OAuth 2.0: GitHub, or by its settings GitHub Enterprise, Gitea, GitLab. */
export const codehost: Provider = {
  name: 'codehost',
  isEnabled: (settings) => settings.CODEHOST_LOGIN_ENABLED,
  hasCredentials: (settings) => Boolean(settings.CODEHOST_APP_CLIENT_ID && settings.CODEHOST_APP_CLIENT_SECRET),
  startUrl,
  accountId,
};
