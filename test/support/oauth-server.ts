import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Owner, serve } from './serve.ts';

/**
 * A reply that a test sets for an endpoint. A text is sent unchanged, any other body as JSON. `hang` means that the
 * endpoint never replies.
 */
export type ScriptedAnswer =
  | { status?: number; type?: string; location?: string; headers?: Record<string, string>; body?: unknown }
  | 'hang';

interface Seen {
  method: string;
  path: string;
  form: Record<string, string>;
  headers: IncomingHttpHeaders;
}

/** A small OAuth 2.0 code host whose replies a test can replace. */
export interface OAuthServer {
  url: string;
  /** The settings that make it the code host of the service. */
  settings: Record<string, string>;
  /** The settings that make it a provider in PROVIDERS; `prefix` is `PROVIDER_NAME_`. */
  settingsOf(prefix: string): Record<string, string>;
  /** The account that is signed in there, which the user endpoint returns. */
  user: Record<string, unknown>;
  token?: ScriptedAnswer | undefined;
  userEndpoint?: ScriptedAnswer | undefined;
  /** The requests of the service, oldest first. */
  seen: Seen[];
  /**
   * Lets the person agree, and returns the path to which the browser is sent back. A real browser that opens the URL is
   * sent back at once.
   */
  agree(authorizationUrl: string): string;
}

export const CLIENT = { id: 'the-client', secret: 'the-client-secret' };

function answer(reply: ServerResponse, scripted: ScriptedAnswer): void {
  if (scripted === 'hang') return;
  const { status = 200, body = '', location, headers } = scripted;
  const isText = typeof body === 'string';
  reply.writeHead(status, {
    'content-type': scripted.type ?? (isText ? 'text/html' : 'application/json'),
    ...(location ? { location } : {}),
    ...headers,
  });
  reply.end(isText ? body : JSON.stringify(body));
}

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/**
 * Returns the reply to a code. A code works once, and only with its own verifier, redirect URI, client and secret. An
 * error has status 200, as at GitHub.
 */
function exchange(grants: Map<string, URLSearchParams>, form: Record<string, string>, token: string): ScriptedAnswer {
  const grant = grants.get(form.code ?? '');
  grants.delete(form.code ?? '');
  const isClient = form.client_id === CLIENT.id && form.client_secret === CLIENT.secret;
  if (!isClient) return { body: { error: 'incorrect_client_credentials', error_description: 'UPSTREAM-DETAIL' } };
  const isRight =
    grant?.get('redirect_uri') === form.redirect_uri &&
    grant?.get('code_challenge') === challengeOf(form.code_verifier ?? '') &&
    form.grant_type === 'authorization_code';
  if (!isRight) return { body: { error: 'bad_verification_code', error_description: 'UPSTREAM-DETAIL' } };
  return { body: { access_token: token, token_type: 'bearer', scope: grant?.get('scope') } };
}

/** Starts a code host for a test. */
export async function startOAuthServer(owner: Owner): Promise<OAuthServer> {
  const grants = new Map<string, URLSearchParams>();
  const token = `gho_${randomBytes(18).toString('hex')}`;

  const agree = (authorizationUrl: string): string => {
    const { searchParams } = new URL(authorizationUrl);
    const code = randomBytes(10).toString('hex');
    grants.set(code, searchParams);
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({ code, state: searchParams.get('state') ?? '' }).toString();
    return back.pathname + back.search;
  };

  const handle = async (request: IncomingMessage, reply: ServerResponse) => {
    const { pathname, href, searchParams } = new URL(request.url ?? '', server.url);
    if (pathname === '/authorize') {
      const location = new URL(agree(href), searchParams.get('redirect_uri') ?? '').href;
      return answer(reply, { status: 302, location });
    }
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    server.seen.push({ method: request.method ?? '', path: pathname, form, headers: request.headers });
    if (pathname === '/token') return answer(reply, server.token ?? exchange(grants, form, token));
    const isKnown = request.headers.authorization === `Bearer ${token}`;
    const usual = isKnown ? { body: server.user } : { status: 401, body: { message: 'Bad credentials' } };
    return answer(reply, pathname === '/user' ? (server.userEndpoint ?? usual) : { status: 404 });
  };

  const server: OAuthServer = {
    url: '',
    settings: {},
    settingsOf: (prefix) => ({
      [`${prefix}TYPE`]: 'oauth2',
      [`${prefix}CLIENT_ID`]: CLIENT.id,
      [`${prefix}CLIENT_SECRET`]: CLIENT.secret,
      [`${prefix}AUTHORIZATION_URL`]: `${server.url}/authorize`,
      [`${prefix}TOKEN_URL`]: `${server.url}/token`,
      [`${prefix}USER_URL`]: `${server.url}/user`,
    }),
    user: { id: 4711, login: 'octo' },
    seen: [],
    agree,
  };
  server.url = await serve(owner, (request, reply) => void handle(request, reply));
  server.settings = {
    CODEHOST_LOGIN_ENABLED: 'true',
    CODEHOST_APP_CLIENT_ID: CLIENT.id,
    CODEHOST_APP_CLIENT_SECRET: CLIENT.secret,
    CODEHOST_AUTHORIZATION_URL: `${server.url}/authorize`,
    CODEHOST_TOKEN_URL: `${server.url}/token`,
    CODEHOST_USER_URL: `${server.url}/user`,
  };
  return server;
}
