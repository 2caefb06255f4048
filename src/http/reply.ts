import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type TSchema, Type } from 'typebox';

/**
 * The part of a reply that guards and handlers may use. The status and the body come from what the handler returns.
 */
export interface ReplyView {
  header(name: string, value: string | number): unknown;
  headers(values: Record<string, string | number>): unknown;
  getHeader(name: string): unknown;
  /** Emits `close` when the answer is sent or the client has disconnected. */
  readonly raw: { once(event: 'close', listener: () => void): unknown };
}

/** A reply other than plain JSON with status 200. The handler returns it, and the server sends it. */
export abstract class Answer {
  /** Sends this answer. The server calls it once. */
  abstract sendBy(reply: FastifyReply): FastifyReply | Promise<void>;
}

/** A rendered page. */
export class Html extends Answer {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  sendBy(reply: FastifyReply): FastifyReply {
    return reply.type('text/html; charset=utf-8').send(this.#text);
  }
}

/** The content of a file. */
export class FileContent extends Answer {
  readonly #type: string;
  readonly #content: Buffer | string;

  constructor(type: string, content: Buffer | string) {
    super();
    this.#type = type;
    this.#content = content;
  }

  sendBy(reply: FastifyReply): FastifyReply {
    return reply.type(this.#type).send(this.#content);
  }
}

async function* resumed(first: IteratorResult<string>, rest: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    for (let part = first; !part.done; part = await rest.next()) yield part.value;
  } finally {
    await rest.return?.();
  }
}

/**
 * A file that is generated while it is sent. If the first part fails, the answer is an error. If a later part
 * fails, the connection is closed, so that the client does not take an incomplete file for the whole one. A HEAD
 * request generates only the first part.
 */
export class Download extends Answer {
  readonly #type: string;
  readonly #name: string;
  readonly #parts: AsyncIterable<string>;

  constructor(type: string, name: string, parts: AsyncIterable<string>) {
    super();
    this.#type = type;
    this.#name = name;
    this.#parts = parts;
  }

  async sendBy(reply: FastifyReply): Promise<void> {
    const parts = this.#parts[Symbol.asyncIterator]();
    const first = await parts.next();
    const isHead = reply.request.method === 'HEAD';
    if (isHead) await parts.return?.();
    const stream = Readable.from(isHead ? [] : resumed(first, parts), { objectMode: false });
    await reply.type(this.#type).header('content-disposition', `attachment; filename="${this.#name}"`).send(stream);
  }
}

/**
 * Returns a URL as a Location header needs it: an international host name in ASCII, and the rest percent-encoded.
 * Drops spaces at the end, as browsers do.
 */
function locationOf(address: string): string {
  const [origin = ''] = /^https?:\/\/[^/?#\\]+/i.exec(address) ?? [];
  const rest = Buffer.from(address.slice(origin.length)).toString();
  const encoded = rest.replace(/ +$/, '').replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  return (origin && new URL(origin).origin) + encoded;
}

/** A redirect to another URL. */
export class Redirect extends Answer {
  readonly #target: string;
  readonly #status: 303 | undefined;

  constructor(target: string, status?: 303) {
    super();
    this.#target = target;
    this.#status = status;
  }

  /** Answers GET and HEAD with 302. Answers other methods with 303, so that the browser continues with a GET. */
  sendBy(reply: FastifyReply): FastifyReply {
    const isRead = reply.request.method === 'GET' || reply.request.method === 'HEAD';
    return reply.redirect(locationOf(this.#target), this.#status ?? (isRead ? 302 : 303));
  }
}

/** A reply with a status other than 200. */
export class StatusReply<Status extends number, Value> extends Answer {
  readonly status: Status;
  readonly value: Value;

  constructor(status: Status, value: Value) {
    super();
    this.status = status;
    this.value = value;
  }

  sendBy(reply: FastifyReply): FastifyReply | Promise<void> {
    reply.code(this.status);
    return this.value instanceof Answer ? this.value.sendBy(reply) : reply.send(this.value);
  }
}

/**
 * Creates a redirect.
 *
 * @param target path on this host, or a configured URL. It is sent unchanged, except for characters that a header
 * cannot contain
 * @param status 303 if a GET must be answered with 303 too
 */
export const redirect = (target: string, status?: 303): Redirect => new Redirect(target, status);

/** Creates an answer with a status other than 200. */
export const status = <const Status extends number, const Value>(
  code: Status,
  value: Value,
): StatusReply<Status, Value> => new StatusReply(code, value);

/** Creates an answer with the content of a file. */
export const file = (type: string, content: Buffer | string): FileContent => new FileContent(type, content);

/** Creates an answer with a file that the browser saves. The file is sent in parts. */
export const download = (type: string, name: string, parts: AsyncIterable<string>): Download =>
  new Download(type, name, parts);

/** Creates an answer that has only a status. */
export const noContent = <const Status extends number>(code: Status): StatusReply<Status, undefined> =>
  new StatusReply(code, undefined);

const replyKinds = ['json', 'html', 'file', 'stream', 'redirect', 'empty'] as const;
export type ReplyKind = (typeof replyKinds)[number];

const REPLY_KIND = 'x-reply';

/** Marks a schema as one that does not describe a JSON value. */
export const declaredAs = (kind: ReplyKind, schema: object) => ({ ...schema, [REPLY_KIND]: kind });

/** For `replies` of a route: a page. */
export const htmlReply = Type.Unsafe<Html>({ type: 'string', contentMediaType: 'text/html', [REPLY_KIND]: 'html' });

/** For `replies` of a route: a file with this media type. */
export const fileReply = (contentMediaType: string) =>
  Type.Unsafe<FileContent>({ type: 'string', contentMediaType, [REPLY_KIND]: 'file' });

/** For `replies` of a route: a file with this media type that is generated while it is sent. */
export const downloadReply = (contentMediaType: string) =>
  Type.Unsafe<Download>({ type: 'string', contentMediaType, [REPLY_KIND]: 'file' });

/**
 * For `replies` of a route, with status 302 (GET and HEAD) or 303: a redirect.
 *
 * @param to where the redirect goes, in words, for the documentation
 */
export const redirectReply = (to: string) => Type.Unsafe<Redirect>({ description: to, [REPLY_KIND]: 'redirect' });

/** For `replies` of a route: a status without a body. */
export const emptyReply = Type.Unsafe<undefined>({ [REPLY_KIND]: 'empty' });

/** Returns the kind of a declared reply. A schema that no function above has marked describes a JSON value. */
export function replyKind(schema: TSchema): ReplyKind {
  const kind = REPLY_KIND in schema ? schema[REPLY_KIND] : 'json';
  return replyKinds.find((known) => known === kind) ?? 'json';
}
