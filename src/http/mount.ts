// Functions that serve handlers of other libraries. These handlers take the request and response of Node.js.
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { Answer } from './reply.ts';
import type { AnyRoute, Call } from './route.ts';

/**
 * A handler that writes its answer to the response of Node.js. If it throws before it has answered, the client gets
 * one of our error replies. If it returns an Answer, that is sent.
 */
export type ForeignHandler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown> | unknown;

/** Creates a copy of a request with another URL or body, for a handler that reads the body itself. */
export function remakeRequest(
  raw: IncomingMessage,
  { url = raw.url, body }: { url?: string | undefined; body?: Buffer },
): IncomingMessage {
  const { method, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = raw;
  const length = body && raw.headers['content-length'] !== undefined ? { 'content-length': String(body.length) } : {};
  const headers = { ...raw.headers, ...length };
  const request = new IncomingMessage(raw.socket);
  const line = { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor, complete: true };
  Object.assign(request, line);
  if (body) request.push(body);
  request.push(null);
  return request;
}

/** Removes the status and all headers that a handler has set so far. */
function clearHead(response: ServerResponse): void {
  response.statusCode = 200;
  response.statusMessage = '';
  for (const name of response.getHeaderNames()) response.removeHeader(name);
}

/** The answer that a foreign handler writes. */
class ForeignAnswer extends Answer {
  readonly #handler: ForeignHandler;

  constructor(handler: ForeignHandler) {
    super();
    this.#handler = handler;
  }

  async sendBy(reply: FastifyReply): Promise<void> {
    const { raw, request } = reply;
    const { body } = request;
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
    const closed = new Promise<void>((resolve) => raw.once('close', resolve));
    try {
      const handled = Buffer.isBuffer(body) ? remakeRequest(request.raw, { body }) : request.raw;
      const answer = await this.#handler(handled, raw);
      if (answer instanceof Answer) {
        clearHead(raw);
        await answer.sendBy(reply);
        return;
      }
    } catch (error) {
      if (raw.headersSent) raw.destroy();
      else clearHead(raw);
      if (!raw.destroyed) throw error;
    }
    await closed;
    reply.hijack();
  }
}

/** For `replies` of a mounted route: a JSON object that the foreign handler writes. */
export const foreignReply = (description: string): TSchema => Type.Unsafe<object>({ type: 'object', description });

type MountedRoute = Omit<AnyRoute, 'body' | 'handle'> & {
  /** Returns the handler for a call. May throw an AppError to refuse the call. */
  serve(call: Call): Promise<ForeignHandler> | ForeignHandler;
};

/**
 * Creates a route that a foreign handler answers. The route has our headers, limits, logging and error replies.
 *
 * Headers that the handler sets replace ours. Its requests have a complete body, within the size limit of every
 * route. The schemas in `replies` are only documentation, because nothing checks what a foreign handler writes.
 */
export function mount({ serve, ...route }: MountedRoute): AnyRoute {
  return {
    ...route,
    body: { kind: route.method === 'GET' ? 'none' : 'bytes' },
    handle: async (call) => new ForeignAnswer(await serve(call)),
  };
}
