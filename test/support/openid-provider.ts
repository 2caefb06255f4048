import { createHmac, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import Provider, { type JWK } from 'oidc-provider';
import { CLIENT } from './oauth-server.ts';
import { type Owner, serve } from './serve.ts';

export interface Claims extends Record<string, unknown> {
  iss: string;
  aud: string | string[];
  exp: number;
  iat: number;
}

/** How a test changes the provider's replies. */
export interface Tampering {
  /** Changes the discovery document. */
  metadata?: (document: Record<string, unknown>) => Record<string, unknown>;
  /** Changes the reply of the token endpoint, after its ID token has been changed. */
  answer?: (fields: Record<string, unknown>) => Record<string, unknown>;
  claims?: (claims: Claims) => Record<string, unknown>;
  header?: Record<string, unknown>;
  /** Signs with a key that is not the provider's. */
  signedByStranger?: boolean;
  /** The key of an HMAC signature, if `header` names an HMAC algorithm. */
  secret?: string;
  /** Changes the finished ID token. */
  token?: (token: string) => string | undefined;
}

/** A real OpenID Provider on loopback http. A test can damage its token replies. */
export interface OpenIdProvider {
  url: string;
  /** The settings that make it the web SSO of the service. */
  settings: Record<string, string>;
  /** The settings that make it a provider in PROVIDERS; `prefix` is `PROVIDER_NAME_`. */
  settingsOf(prefix: string): Record<string, string>;
  tampering?: Tampering | undefined;
  /** A reply that replaces the usual reply of the token endpoint. */
  token?: { status: number; body: unknown } | undefined;
  /** While false, every reply has status 503. */
  isUp: boolean;
  /** The paths that the service or a browser requested, oldest first. */
  seen: string[];
  /**
   * Registers this service as its client, and signs with a new key from now on. `name` is the provider's name in the
   * service.
   */
  admit(serviceUrl: string, name?: string): void;
  /** Signs in at the provider through its forms, as a person does. Returns the path to which the browser is sent back. */
  agree(authorizationUrl: string, subject: string): Promise<string>;
}

const makeKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function decode(part: string): Claims {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

/** Signs a text with the algorithm that the header names. */
function sign(signed: string, algorithm: unknown, { secret, signedByStranger }: Tampering, key: KeyObject): string {
  if (algorithm === 'none') return '';
  const bits = String(algorithm).slice(2);
  if (secret !== undefined) return createHmac(`sha${bits}`, secret).update(signed).digest('base64url');
  return createSign(`RSA-SHA${['384', '512'].includes(bits) ? bits : '256'}`)
    .update(signed)
    .sign(signedByStranger ? makeKey() : key, 'base64url');
}

function spoil(token: string, tampering: Tampering, key: KeyObject): string | undefined {
  const [header = '', payload = ''] = token.split('.');
  const claims = decode(payload);
  const newHeader = { ...decode(header), ...tampering.header };
  const signed = `${encode(newHeader)}.${encode(tampering.claims?.(claims) ?? claims)}`;
  const made = `${signed}.${sign(signed, newHeader.alg, tampering, key)}`;
  return tampering.token ? tampering.token(made) : made;
}

/** Changes the provider's replies as the test wants. */
function tamper(provider: Provider, server: OpenIdProvider, key: KeyObject): void {
  provider.use(async (context, next) => {
    await next();
    const { body, path } = context;
    const { tampering } = server;
    if (!tampering || typeof body !== 'object' || body === null) return;
    if (path.startsWith('/.well-known/')) context.body = tampering.metadata?.({ ...body }) ?? body;
    if (path !== '/token') return;
    const spoiled = 'id_token' in body ? spoil(String(body.id_token), tampering, key) : undefined;
    const { id_token: _, ...rest }: Record<string, unknown> = { ...body };
    const fields = spoiled === undefined ? rest : { ...rest, id_token: spoiled };
    context.body = tampering.answer?.(fields) ?? fields;
  });
}

function createProvider(server: OpenIdProvider, callback: string): RequestListener {
  const key = makeKey();
  const jwk: JWK = { ...key.export({ format: 'jwk' }), kid: randomBytes(6).toString('hex'), use: 'sig', alg: 'RS256' };
  const provider = new Provider(server.url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [callback],
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['cookie-key-of-the-provider'] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, name: `Name of ${sub}` }) }),
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
  });
  tamper(provider, server, key);
  return provider.callback();
}

async function walk(from: string, subject: string, home: string): Promise<string> {
  const jar = new Map<string, string>();
  let next: { url: string; form?: Record<string, string> } = { url: from };
  for (let step = 0; step < 12; step += 1) {
    if (!next.url.startsWith(home)) return next.url;
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = next.form ? new URLSearchParams(next.form) : null;
    const method = next.form ? 'POST' : 'GET';
    const reply = await fetch(next.url, { method, body, headers: { cookie }, redirect: 'manual' });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = reply.headers.get('location');
    const html = await reply.text();
    if (location) next = { url: new URL(location, next.url).href };
    else {
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(html) ?? [];
      if (!action) throw new Error(`the provider shows no form: ${reply.status} ${html.slice(0, 300)}`);
      const form = html.includes('name="login"')
        ? { prompt: 'login', login: subject, password: 'any' }
        : { prompt: 'consent' };
      next = { url: action, form };
    }
  }
  throw new Error('the provider sends the browser in circles');
}

/** Starts an OpenID Provider for a test. It has no client before `admit` is called. */
export async function startOpenIdProvider(owner: Owner): Promise<OpenIdProvider> {
  let listener: RequestListener | undefined;
  const server: OpenIdProvider = {
    url: '',
    settings: {},
    isUp: true,
    seen: [],
    settingsOf: (prefix) => ({
      [`${prefix}TYPE`]: 'oidc',
      [`${prefix}CLIENT_ID`]: CLIENT.id,
      [`${prefix}CLIENT_SECRET`]: CLIENT.secret,
      [`${prefix}ISSUER`]: server.url,
    }),
    admit: (serviceUrl, name = 'websso') => {
      // The provider is created here and not at its first request, because creating its key takes a while, and the
      // service waits at most 5 s for a reply.
      listener = createProvider(server, `${serviceUrl}/authsvc/api/${name}/login/callback`);
    },
    agree: async (authorizationUrl, subject) => {
      const back = new URL(await walk(authorizationUrl, subject, server.url));
      return back.pathname + back.search;
    },
  };
  server.url = await serve(owner, (request, reply) => {
    server.seen.push(new URL(request.url ?? '', server.url).pathname);
    if (!server.isUp) return reply.writeHead(503).end();
    if (server.token && request.url === '/token') {
      reply.writeHead(server.token.status, { 'content-type': 'application/json' });
      return reply.end(JSON.stringify(server.token.body));
    }
    return listener?.(request, reply) ?? reply.writeHead(404).end();
  });
  server.settings = {
    WEBSSO_LOGIN_ENABLED: 'true',
    WEBSSO_CLIENT_ID: CLIENT.id,
    WEBSSO_CLIENT_SECRET: CLIENT.secret,
    WEBSSO_ISSUER: server.url,
  };
  return server;
}
