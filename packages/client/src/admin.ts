// Client of the console's API, the routes below /authsvc/api/admin: `import { createAdmin } from 'authsvc-client/admin'`.
import type { AdminFiles, AdminOperations, List } from './admin-operations.ts';
import { refusalOf } from './answer.ts';
import { type Answer, fetchFrom, readAnswer } from './ask.ts';
import { ClientError } from './client-error.ts';
import { isObject } from './json-object.ts';
import { sleep } from './sleep.ts';

export type * from './admin-operations.ts';
export { ClientError, type Failure } from './client-error.ts';

/** An error reply of the console's API. */
export class AdminError extends ClientError {
  /** @internal */
  static override readonly name = 'AdminError';
  /** Error code, such as USERNAME_TAKEN. docs/errors.md lists them. */
  override readonly code: string;
  /** Name of the input field that caused the error. */
  readonly field: string | undefined;
  /** The current record if `code` is CHANGED_MEANWHILE. */
  readonly current: unknown;

  /** @internal */
  constructor(code: string, { message, status, hint }: ClientError, { field, current }: Record<string, unknown>) {
    super('refused', message, { status, hint });
    this.name = 'AdminError';
    this.code = code;
    this.field = typeof field === 'string' ? field : undefined;
    this.current = current;
  }
}

export interface AdminOptions {
  /** Address of the service, such as https://auth.example.com. */
  server: string;
  /** API token that belongs to a superadmin and has the scope `admin`. */
  token: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

interface CallOptions {
  /** Cancels the call, or its wait before a retry. */
  signal?: AbortSignal;
}

type Name = keyof AdminOperations;
type Input<Of extends Name> = Parameters<AdminOperations[Of]>[0];
type Reply<Of extends Name> = ReturnType<AdminOperations[Of]>;
/** The operations that reply with one page of a list. */
type ListName = { [Of in Name]: Reply<Of> extends List<unknown> ? Of : never }[Name];

/**
 * `name` is the method and the path below /authsvc/api/admin. `input` has the parameters of path and query, and the fields of
 * the body. If the reply is 429 with `Retry-After`, the client waits and tries again. Methods throw an AdminError if the API
 * replies with an error, and a ClientError for any other failure.
 */
export interface Admin {
  /** Calls an operation. */
  call<Of extends Name>(name: Of, input: Input<Of>, options?: CallOptions): Promise<Reply<Of>>;
  /** Yields every item of a list, and requests page after page. */
  all<Of extends ListName>(
    name: Of,
    input: Input<Of>,
    options?: CallOptions,
  ): AsyncGenerator<Reply<Of>['items'][number]>;
  /** Returns the bytes of a file. The stream fails if the connection breaks before the end. */
  download<Of extends keyof AdminFiles>(
    name: Of,
    input: AdminFiles[Of],
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>>;
}

const textsOf = (value: unknown): string[] =>
  [value].flat().flatMap((one) => (one === undefined || one === null ? [] : String(one)));

const PREFIX = '/authsvc/api/admin';
/** Limit for the body of a reply. A list can have 200 items, and each can have long lists of its own. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Encodes a parameter of a path. Refuses values that would change the path: a URL drops the segments `.` and `..`. */
function segmentOf(parameter: string, value: unknown): string {
  const text = String(value ?? '');
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${parameter} cannot be "${text}".`);
  return encodeURIComponent(text);
}

/** Returns the path with query, the method and the JSON body for a call of an operation. */
function requestFor(name: string, input: object): [path: string, init: { method: string; body?: string }] {
  const left = new Map<string, unknown>(Object.entries(input));
  const [method = '', path = ''] = name.split(' ');
  const filled = path.replace(/:(\w+)/g, (_, parameter: string) => {
    const value = left.get(parameter);
    left.delete(parameter);
    return segmentOf(parameter, value);
  });
  if (method === 'POST' || method === 'PATCH')
    return [filled, { method, body: JSON.stringify(Object.fromEntries(left)) }];
  const query = new URLSearchParams(
    [...left].flatMap(([parameter, value]) => textsOf(value).map((text): [string, string] => [parameter, text])),
  ).toString();
  return [query === '' ? filled : `${filled}?${query}`, { method }];
}

function errorOf(answer: Answer): ClientError {
  const refusal = refusalOf(answer);
  return refusal.code === undefined ? refusal : new AdminError(refusal.code, refusal, answer.fields);
}

const isReply = <Of extends Name>(_name: Of, fields: unknown): fields is Reply<Of> =>
  isObject(fields) && fields.success === true;

const isPage = <Of extends ListName>(_name: Of, value: unknown): value is List<Reply<Of>['items'][number]> =>
  isObject(value) && Array.isArray(value.items) && (value.next === null || typeof value.next === 'string');

/** Creates a client of the console's API. Sends nothing until the first call. */
export function createAdmin({ server, token, fetch: fetchIt = fetch }: AdminOptions): Admin {
  /** Sends a request, and sends it again after each 429 with `Retry-After`. Leaves the body unread, as it may be a large file. */
  const send = async (name: string, input: object, signal: AbortSignal | undefined, isFile = false) => {
    const [path, init] = requestFor(name, input);
    const url = new URL(PREFIX + path, server);
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(init.body && { 'content-type': 'application/json' }),
    };
    for (;;) {
      const response = await fetchFrom(fetchIt, url, { ...init, headers }, signal, isFile);
      if (response.ok) return { response, url };
      const answer = await readAnswer(response, url, signal);
      if (answer.status !== 429 || answer.waitSeconds === undefined) throw errorOf(answer);
      await sleep(answer.waitSeconds * 1000, signal);
    }
  };
  const call: Admin['call'] = async (name, input, { signal } = {}) => {
    const { response, url } = await send(name, input, signal);
    const { fields } = await readAnswer(response, url, signal, MAX_BYTES);
    if (isReply(name, fields)) return fields;
    const message = `${url.origin} sent a reply that does not come from authsvc.`;
    throw new ClientError('unexpected', message, { status: response.status });
  };
  return {
    call,
    all: async function* all(name, input, options) {
      for (let after: string | null | undefined; after !== null; ) {
        const page: unknown = await call(name, after === undefined ? input : { ...input, after }, options);
        if (!isPage(name, page)) throw new ClientError('unexpected', `${server} sent a reply without a list.`);
        yield* page.items;
        after = page.next;
      }
    },
    download: async (name, input, { signal } = {}) => {
      const { response, url } = await send(name, input, signal, true);
      if (response.body) return response.body;
      throw new ClientError('unexpected', `${url.origin} sent a reply without a file.`, { status: response.status });
    },
  };
}
