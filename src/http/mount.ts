// Serves handlers of other libraries, which take Node's request and response.
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { Answer } from './reply.ts';
import type { AnyRoute, Call } from './route.ts';

/**
 * A handler that answers with Node's response. An error that it throws before it answers becomes one of our error
 * replies. An Answer that it returns is sent.
 */
export type ForeignHandler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown> | unknown;

/** A request of the same client with another address or body, for a handler that reads bodies itself. */
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

/** Takes back what a handler has said so far. */
function clearHead(response: ServerResponse): void {
  response.statusCode = 200;
  response.statusMessage = '';
  for (const name of response.getHeaderNames()) response.removeHeader(name);
}

/** The answer of a foreign handler. */
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

/** In `replies` of a mounted row: a JSON object that the foreign handler makes. */
export const foreignReply = (description: string): TSchema => Type.Unsafe<object>({ type: 'object', description });

type MountedRoute = Omit<AnyRoute, 'body' | 'handle'> & {
  /** Finds the handler for a call; may refuse it with an AppError. */
  serve(call: Call): Promise<ForeignHandler> | ForeignHandler;
};

/**
 * A row of the route table that a foreign handler answers, with our headers, limits, logging and error replies.
 *
 * The handler's own headers win over ours. Its requests have their whole body, within the limit of every route. The
 * schemas of `replies` are only documentation: nothing enforces them for a foreign handler.
 */
export function mount({ serve, ...route }: MountedRoute): AnyRoute {
  return {
    ...route,
    body: { kind: route.method === 'GET' ? 'none' : 'bytes' },
    handle: async (call) => new ForeignAnswer(await serve(call)),
  };
}
