// Serves handlers of other libraries, which take Node's request and response.
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { Answer } from './reply.ts';
import type { AnyRoute, Call } from './route.ts';

/**
 * A handler that answers with Node's response. An error that it throws before it answers becomes one of our error
 * replies.
 */
export type ForeignHandler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown> | unknown;

/** A request with its whole body, for a handler that reads bodies itself. */
function withBody(raw: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = raw;
  const request = new IncomingMessage(raw.socket);
  const line = { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor, complete: true };
  Object.assign(request, line);
  request.push(body);
  request.push(null);
  return request;
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
      await this.#handler(Buffer.isBuffer(body) ? withBody(request.raw, body) : request.raw, raw);
    } catch (error) {
      if (raw.headersSent) raw.destroy();
      else for (const name of raw.getHeaderNames()) raw.removeHeader(name);
      if (!raw.destroyed) throw error;
    }
    await closed;
    reply.hijack();
  }
}

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
