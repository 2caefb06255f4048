// Client of the console's API, the routes below /authsvc/api/admin: `import { createAdmin } from 'authsvc-client/admin'`.
import {
  type AdminErrorCode,
  type AdminFiles,
  type AdminOperations,
  adminFiles,
  adminOperations,
  isAdminErrorCode,
} from './admin-operations.ts';
import { refusalOf } from './answer.ts';
import { type Answer, fetchFrom, isObject, readAnswer } from './ask.ts';
import { ClientError } from './client-error.ts';
import { sleep } from './sleep.ts';

export type { AdminErrorCode, AdminFiles, AdminOperations } from './admin-operations.ts';
export { ClientError, type Failure } from './client-error.ts';

/** An error reply of the console's API. */
export class AdminError extends ClientError {
  /** @internal */
  static override readonly name = 'AdminError';
  override readonly code: AdminErrorCode;
  /** Name of the input field that caused the error; undefined if no single field did. */
  readonly field: string | undefined;
  /** The current record if `code` is CHANGED_MEANWHILE; otherwise undefined. */
  readonly current: unknown;

  constructor(code: AdminErrorCode, { message, status, hint }: ClientError, { fields }: Answer) {
    super('refused', message, { status, hint });
    this.name = 'AdminError';
    this.code = code;
    this.field = typeof fields.field === 'string' ? fields.field : undefined;
    this.current = fields.current;
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

type Input<Name extends keyof AdminOperations> = AdminOperations[Name]['input'];
type Reply<Name extends keyof AdminOperations> = AdminOperations[Name]['reply'];

/** Names of the operations that reply with one page of a list. */
type ListName = {
  [Name in keyof AdminOperations]: Reply<Name> extends { items: unknown[]; next: string | null } ? Name : never;
}[keyof AdminOperations];

type Item<Name extends ListName> = Reply<Name>['items'][number];

/** Methods throw an AdminError if the API replies with one of its error codes, and a ClientError for any other failure. */
export interface Admin {
  /**
   * Calls an operation. If the reply is 429 with `Retry-After`, waits for that time and tries again.
   *
   * @param name the operation's `operationId` in docs/openapi.json
   * @param input path parameters, query parameters and fields of the body in one object
   */
  call<Name extends keyof AdminOperations>(name: Name, input: Input<Name>, options?: CallOptions): Promise<Reply<Name>>;
  /** Yields every item of a list. Requests the next page when the items of the previous page are used up. */
  all<Name extends ListName>(name: Name, input: Input<Name>, options?: CallOptions): AsyncGenerator<Item<Name>>;
  /** Returns the bytes of a file as a stream. The stream fails if the connection breaks before the end of the file. */
  download<Name extends keyof AdminFiles>(
    name: Name,
    input: AdminFiles[Name],
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>>;
}

const textsOf = (value: unknown): string[] =>
  [value].flat().flatMap((one) => (one === undefined || one === null ? [] : String(one)));

/** Returns method, path with query, and JSON body for a call of an operation. */
function requestFor([method, path]: readonly [string, string], input: object) {
  const left = new Map<string, unknown>(Object.entries(input));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = left.get(name);
    left.delete(name);
    return encodeURIComponent(String(value));
  });
  if (method === 'POST' || method === 'PATCH')
    return { method, path: filled, body: JSON.stringify(Object.fromEntries(left)) };
  const query = new URLSearchParams(
    [...left].flatMap(([name, value]) => textsOf(value).map((text): [string, string] => [name, text])),
  ).toString();
  return { method, path: query === '' ? filled : `${filled}?${query}`, body: undefined };
}

function errorOf(answer: Answer): ClientError {
  const refusal = refusalOf(answer);
  return isAdminErrorCode(refusal.code) ? new AdminError(refusal.code, refusal, answer) : refusal;
}

const isReply = <Name extends keyof AdminOperations>(_name: Name, fields: unknown): fields is Reply<Name> =>
  isObject(fields) && fields.success === true;

const isPage = <Name extends ListName>(
  _name: Name,
  value: unknown,
): value is { items: Item<Name>[]; next: string | null } =>
  isObject(value) && Array.isArray(value.items) && (value.next === null || typeof value.next === 'string');

/** Creates a client of the console's API. Sends nothing until the first call. */
export function createAdmin({ server, token, fetch: fetchIt = fetch }: AdminOptions): Admin {
  /** Sends a request, and sends it again after each 429 with `Retry-After`. Leaves the body unread, as it may be a large file. */
  const send = async (place: readonly [string, string], input: object, signal?: AbortSignal) => {
    const { method, path, body } = requestFor(place, input);
    const url = new URL(path, server);
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    for (;;) {
      const response = await fetchFrom(
        fetchIt,
        url,
        { method, headers, ...(body === undefined ? {} : { body }) },
        signal,
      );
      if (response.ok) return { response, url };
      const answer = await readAnswer(response, url);
      if (answer.status !== 429 || answer.waitSeconds === undefined) throw errorOf(answer);
      await sleep(answer.waitSeconds * 1000, signal);
    }
  };
  const call: Admin['call'] = async (name, input, { signal } = {}) => {
    const { response, url } = await send(adminOperations[name], input, signal);
    const { fields } = await readAnswer(response, url);
    if (isReply(name, fields)) return fields;
    throw new ClientError('unexpected', `${url.origin} sent a reply that does not come from authsvc.`, {
      status: response.status,
    });
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
      const { response, url } = await send(adminFiles[name], input, signal);
      if (response.body) return response.body;
      throw new ClientError('unexpected', `${url.origin} sent a reply without a file.`, { status: response.status });
    },
  };
}
