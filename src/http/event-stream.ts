import type { FastifyReply } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { Answer, declaredAs } from './reply.ts';

/** If a client has more unread bytes than this, its connection is closed. */
const MAX_BACKLOG_BYTES = 256 * 1024;

/** An open stream of server-sent events. */
export interface OpenStream {
  /** Sends text in the format of server-sent events. Closes the connection if the client does not read. */
  write(text: string): void;
  end(): void;
}

/**
 * An answer that sends events as they happen, until the client disconnects.
 *
 * @see HTML Standard, server-sent events
 */
export class EventStream extends Answer {
  readonly #begin: (stream: OpenStream) => () => void;

  /** @param begin called once the stream is open; returns the function to call when the stream has ended */
  constructor(begin: (stream: OpenStream) => () => void) {
    super();
    this.#begin = begin;
  }

  sendBy(reply: FastifyReply): FastifyReply {
    const { raw, request } = reply;
    // `x-accel-buffering` stops proxies from buffering the events. No other request can use the connection.
    reply.headers({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no', connection: 'close' });
    if (request.method === 'HEAD') return reply.send('');
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
    raw.flushHeaders();
    const onEnd = this.#begin({
      write: (text) => {
        if (raw.writableLength > MAX_BACKLOG_BYTES) raw.destroy();
        else raw.write(text);
      },
      end: () => raw.end(),
    });
    raw.once('close', onEnd);
    return reply;
  }
}

/**
 * For `replies` of a route: a stream of events.
 *
 * @param events names of the events, for the documentation
 */
export const eventStreamReply = (events: string): TSchema =>
  Type.Unsafe<EventStream>(declaredAs('stream', { type: 'string', description: events }));
