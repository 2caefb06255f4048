import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorName, errorRegistry } from '../errors/registry.ts';
import { errorBody } from './error-handler.ts';
import type { Pipeline } from './pipeline.ts';
import type { Services } from './route.ts';

/** How long a client may take to read the error. */
const LINGER_MS = 1000;

/** The error for each error code of Node's HTTP parser. Any other code means that the data is not HTTP. */
const parserErrors: Record<string, ErrorName> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TOO_SLOW',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
};

interface Refusal {
  headers: Record<string, string>;
  requestId: string;
  now: number;
}

function refusalText(name: ErrorName, { headers, requestId, now }: Refusal): string {
  const { status } = errorRegistry[name];
  const body = JSON.stringify(errorBody(name, requestId));
  const all = {
    ...headers,
    date: new Date(now).toUTCString(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

interface Parts {
  services: Pick<Services, 'log' | 'clock' | 'meter'>;
  headers: Record<string, string>;
  nextId(): string;
  pipeline: Pipeline;
}

/**
 * Creates the handler for connections whose data cannot be parsed as a request. It first lets the earlier requests
 * of the connection finish. Then it answers with the usual headers, body and log line of an error, and closes the
 * connection.
 */
export function answerBrokenRequests({ services, headers, nextId, pipeline }: Parts) {
  const { log, clock, meter } = services;
  const refuse = (error: Error & { code?: string }, socket: Socket): void => {
    if (!socket.writable) return void socket.destroy();
    const name = parserErrors[error.code ?? ''] ?? 'REQUEST_MALFORMED';
    const requestId = nextId();
    const { status } = errorRegistry[name];
    const facts = {
      request_id: requestId,
      route: 'unknown',
      status,
      reason: error.code,
      address: socket.remoteAddress,
    };
    log.info(facts, 'request');
    meter?.answered({ method: 'unknown', route: facts.route, status }, 0);
    meter?.refused(name, undefined);
    socket.end(refusalText(name, { headers, requestId, now: clock.now() }));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else pipeline.whenAnswered(socket, () => refuse(error, socket));
  };
}
