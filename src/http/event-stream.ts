import type { FastifyReply } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { Answer, declaredAs } from './reply.ts';

/** How many unread bytes a client may have before its connection is closed. */
const MAX_BACKLOG_BYTES = 256 * 1024;

/** One open stream of events. */
export interface OpenStream {
  /** Sends text in the format of server-sent events. Closes the connection of a client that does not read. */
  write(text: string): void;
  end(): void;
}

/**
 * Events that are sent as they happen, for as long as the client listens.
 *
 * @see HTML Standard, server-sent events
 */
export class EventStream extends Answer {
  readonly #begin: (stream: OpenStream) => () => void;

  /** @param begin is called once the stream is open; what it returns is called when the stream has ended */
  constructor(begin: (stream: OpenStream) => () => void) {
    super();
    this.#begin = begin;
  }

  sendBy(reply: FastifyReply): FastifyReply {
    const { raw, request } = reply;
    // Tells proxies not to buffer the events. The connection is used for nothing else.
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

/** In `replies`: a stream of events; `events` lists them for the documentation. */
export const eventStreamReply = (events: string): TSchema =>
  Type.Unsafe<EventStream>(declaredAs('stream', { type: 'string', description: events }));
