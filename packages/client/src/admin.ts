// The console for programs: `import { createAdmin } from 'authsvc-client/admin'`.
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

/** A refusal by the service. */
export class AdminError extends ClientError {
  override readonly code: AdminErrorCode;
  /** The field of the input that it is about. */
  readonly field: string | undefined;
  /** Of CHANGED_MEANWHILE: the record as it is now. */
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
  /** API token of scope admin of a superadmin. */
  token: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

interface CallOptions {
  /** Ends the call when it is aborted. */
  signal?: AbortSignal;
}

type Input<Name extends keyof AdminOperations> = AdminOperations[Name]['input'];
type Reply<Name extends keyof AdminOperations> = AdminOperations[Name]['reply'];

/** The operations that answer with a page of a list. */
type ListName = {
  [Name in keyof AdminOperations]: Reply<Name> extends { items: unknown[]; next: string | null } ? Name : never;
}[keyof AdminOperations];

type Item<Name extends ListName> = Reply<Name>['items'][number];

/** Methods throw an AdminError where the service refuses, and a ClientError where it does not answer. */
export interface Admin {
  /**
   * Carries out an operation. Waits and tries again while the service asks to wait.
   *
   * @param input the parameters of path and query, and the fields of the body
   */
  call<Name extends keyof AdminOperations>(name: Name, input: Input<Name>, options?: CallOptions): Promise<Reply<Name>>;
  /** All items of a list, one page after the other. */
  all<Name extends ListName>(name: Name, input: Input<Name>, options?: CallOptions): AsyncGenerator<Item<Name>>;
  /** The bytes of a file. The stream fails if the connection ends early. */
  download<Name extends keyof AdminFiles>(
    name: Name,
    input: AdminFiles[Name],
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>>;
}

const textsOf = (value: unknown): string[] =>
  [value].flat().flatMap((one) => (one === undefined || one === null ? [] : String(one)));

/** The address and the body of an operation. */
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

/** Creates a client of the console. */
export function createAdmin({ server, token, fetch: fetchIt = fetch }: AdminOptions): Admin {
  /** An answer that is not a refusal: its body is not read yet. */
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
    throw new ClientError('unexpected', `${url.origin} gave another answer than authsvc.`, { status: response.status });
  };
  return {
    call,
    all: async function* all(name, input, options) {
      for (let after: string | null | undefined; after !== null; ) {
        const page: unknown = await call(name, after === undefined ? input : { ...input, after }, options);
        if (!isPage(name, page)) throw new ClientError('unexpected', `${server} answered without a list.`);
        yield* page.items;
        after = page.next;
      }
    },
    download: async (name, input, { signal } = {}) => {
      const { response, url } = await send(adminFiles[name], input, signal);
      if (response.body) return response.body;
      throw new ClientError('unexpected', `${url.origin} answered without a file.`, { status: response.status });
    },
  };
}
