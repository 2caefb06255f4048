import { randomInt } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

/** One Set-Cookie header, parsed. */
export interface SetCookie {
  name: string;
  value: string;
  line: string;
  attributes: Record<string, string | true>;
  /** Whether the header removes the cookie. */
  isCleared: boolean;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON; an empty object if the body is not a JSON object. */
  body: Record<string, unknown>;
  cookies: SetCookie[];
}

export interface RequestOptions {
  json?: unknown;
  /** A body that is sent unchanged, with the media type in `type`. */
  raw?: string | Buffer;
  type?: string;
  headers?: Record<string, string | undefined>;
  /** The client address that the request claims in X-Forwarded-For. Without it, each request claims a new address. */
  address?: string;
}

function parseSetCookie(line: string): SetCookie {
  const [pair = '', ...rest] = line.split(';').map((part) => part.trim());
  const at = pair.indexOf('=');
  const attributes: Record<string, string | true> = {};
  for (const attribute of rest) {
    const [key = '', ...value] = attribute.split('=');
    attributes[key.toLowerCase()] = value.length > 0 ? value.join('=') : true;
  }
  return {
    name: pair.slice(0, at),
    value: pair.slice(at + 1),
    line,
    attributes,
    isCleared: attributes['max-age'] === '0',
  };
}

function parseBody(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

const randomAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

/**
 * A client with a cookie jar. Each request comes from a different client address, so that a test reaches rate limits only
 * on purpose.
 */
export class Client {
  readonly jar = new Map<string, string>();
  /** Headers that are sent with each request. */
  readonly headers: Record<string, string> = {};
  readonly #port: () => number;

  constructor(port: () => number) {
    this.#port = port;
  }

  /** Creates another client with a copy of these cookies. */
  clone(): Client {
    const copy = new Client(this.#port);
    for (const [name, value] of this.jar) copy.jar.set(name, value);
    Object.assign(copy.headers, this.headers);
    return copy;
  }

  get(path: string, options?: RequestOptions): Promise<Reply> {
    return this.request('GET', path, options);
  }

  /** Sends a GET request with the headers of a person's browser. */
  page(path: string, options: RequestOptions = {}): Promise<Reply> {
    return this.get(path, { ...options, headers: { accept: 'text/html,*/*;q=0.8', ...options.headers } });
  }

  post(path: string, json?: unknown, options: RequestOptions = {}): Promise<Reply> {
    return this.request('POST', path, { json, ...options });
  }

  delete(path: string, options?: RequestOptions): Promise<Reply> {
    return this.request('DELETE', path, options);
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const body = options.json === undefined ? options.raw : JSON.stringify(options.json);
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers: Record<string, string | undefined> = {
      accept: 'application/json',
      'x-forwarded-for': options.address ?? randomAddress(),
      cookie: cookie || undefined,
      'content-type': body === undefined ? undefined : (options.type ?? 'application/json'),
      'content-length': body === undefined ? undefined : String(Buffer.byteLength(body)),
      ...this.headers,
      ...options.headers,
    };
    const reply = await send(this.#port(), method, path, headers, body);
    for (const { name, value, isCleared } of reply.cookies) {
      if (isCleared) this.jar.delete(name);
      else this.jar.set(name, value);
    }
    return reply;
  }

  /** Reads the CSRF token from a page. */
  async csrf(path = '/authsvc/login'): Promise<string> {
    const { text } = await this.page(path);
    return /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
  }

  /** Signs in by password. */
  login(user: { username: string; password: string }, options?: RequestOptions): Promise<Reply> {
    return this.post('/authsvc/api/login', { username: user.username, password: user.password }, options);
  }

  async logout(options?: RequestOptions): Promise<Reply> {
    return this.post('/authsvc/api/logout', { _csrf: await this.csrf() }, options);
  }

  /** Returns whether the service says that this client is signed in. */
  async isSignedIn(): Promise<boolean> {
    return (await this.get('/authsvc/api/checkSession')).body.session_valid === true;
  }
}

function send(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string | undefined>,
  body: string | Buffer | undefined,
): Promise<Reply> {
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, headers: given, agent: false },
      async (message) => {
        const chunks: Buffer[] = [];
        for await (const chunk of message) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: message.statusCode ?? 0,
          headers: message.headers,
          text,
          body: parseBody(text),
          cookies: (message.headers['set-cookie'] ?? []).map(parseSetCookie),
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
