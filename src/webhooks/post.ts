import { lookup as resolve } from 'node:dns/promises';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { HOUR_MS, SECOND_MS } from '../lib/clock.ts';
import { once } from '../lib/once.ts';
import type { SharedWork } from '../lib/shared-work.ts';
import { type AddressRules, isAllowedAddress, mayCall } from './address.ts';

const TIMEOUT_MS = 10 * SECOND_MS;
const MAX_BODY = 1024;
const MAX_RETRY_AFTER_MS = 3 * HOUR_MS;

export type PostError = 'timeout' | 'refused' | 'dns' | 'tls' | 'address_not_allowed' | 'redirect' | 'status';

/** The result of a POST request. */
export interface PostResult {
  /** Null if the receiver accepted the message. */
  error: PostError | null;
  /** The status of the reply; null without a reply. */
  status: number | null;
  /** The beginning of the reply's body; null without a reply. */
  body: string | null;
  /** How long the receiver asks to wait before the next attempt. */
  retryAfterMs: number;
}

class NotAllowed extends Error {}
class TookTooLong extends Error {}

const resolveAll = (host: string) => resolve(host, { all: true });

/**
 * The DNS lookups that are running. Attempts for the same host share one lookup, because lookups use the same threads as
 * password hashing.
 */
export type LookUps = SharedWork<string, Awaited<ReturnType<typeof resolveAll>>>;

declare module '../http/route.ts' {
  interface Services {
    webhookLookUps: LookUps;
  }
}

/**
 * Resolves a host name and returns only the addresses to which messages may be sent. The connection uses one of these
 * addresses without another lookup, so that a second DNS answer cannot bypass the check.
 */
const allowedLookup =
  (rules: AddressRules, lookUps: LookUps): LookupFunction =>
  (host, { all }, callback) => {
    lookUps
      .run(host, () => resolveAll(host))
      .then(
        (addresses) => {
          const allowed = addresses.filter(({ address }) => isAllowedAddress(address, rules));
          const [first] = allowed;
          if (!first) callback(new NotAllowed(), '');
          else if (all) callback(null, allowed);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, ''),
      );
  };

/**
 * Reads the beginning of a reply as text that every database can store. Must be called in the event `response`, so that it
 * misses no event of the reply. An async iterator would cost more CPU time.
 */
function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((done) => {
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_BODY) response.destroy();
    });
    // If the reply breaks off, the part that has arrived is used.
    response.on('error', () => undefined);
    response.on('close', () => done(toText(Buffer.concat(chunks).subarray(0, MAX_BODY))));
  });
}

/** Decodes the beginning of a text. Leaves out a last character of which a part is missing. */
const toText = (start: Buffer): string =>
  start.length === 0 ? '' : new TextDecoder().decode(start, { stream: true }).replaceAll('\0', '\uFFFD');

function readRetryAfter(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * SECOND_MS : Date.parse(value) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

function errorOf(status: number): PostError | null {
  if (status >= 200 && status <= 299) return null;
  return status >= 300 && status <= 399 ? 'redirect' : 'status';
}

const textOf = (error: unknown, name: string): string => String(Object(error)[name] ?? '');

/**
 * How long a connection stays open for the next message. Servers keep idle connections open for longer than this, so no
 * server closes a connection just when it is reused.
 */
const IDLE_MS = SECOND_MS;

/** Connections that stay open between messages. The address of each connection was checked when it was opened. */
export class Connections {
  readonly #agents = new Map<string, Agent>();

  agent(protocol: string, Kind: typeof Agent): Agent {
    const agent = this.#agents.get(protocol) ?? new Kind({ keepAlive: true, timeout: IDLE_MS });
    this.#agents.set(protocol, agent);
    return agent;
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }
}

const http = once(() => import('node:http'));
const https = once(() => import('node:https'));

interface Answer {
  response: IncomingMessage;
  /** The beginning of the body. */
  start: string;
}

/** Sends the request and waits for the reply. */
function answerOf(request: ClientRequest, body: string): Promise<Answer | PostError> {
  let isConnected = false;
  let isSecure = request.protocol !== 'https:';
  request.on('socket', (socket) => {
    if (!socket.connecting) return;
    socket.once('connect', () => {
      isConnected = true;
    });
    socket.once('secureConnect', () => {
      isSecure = true;
    });
  });
  const explain = (error: unknown): PostError => {
    if (error instanceof NotAllowed) return 'address_not_allowed';
    if (error instanceof TookTooLong) return 'timeout';
    if (textOf(error, 'syscall') === 'getaddrinfo') return 'dns';
    if (textOf(error, 'code') === 'ETIMEDOUT') return 'timeout';
    return isConnected && !isSecure ? 'tls' : 'refused';
  };
  return new Promise((done) => {
    request.on('response', (response) => done(readStart(response).then((start) => ({ response, start }))));
    request.on('error', (error) => done(explain(error)));
    // A reply that switches protocols closes the request without an error event.
    request.on('close', () => done('refused'));
    request.end(body);
  });
}

interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
  rules: AddressRules;
  lookUps: LookUps;
  now: number;
  signal?: AbortSignal;
  /** Connections to reuse. Without them, the connection is closed after the request. */
  connections?: Connections;
}

/**
 * Sends a POST request. It follows no redirects. It uses no proxy, because a proxy would connect to an address that was
 * not checked here.
 *
 * @see OWASP Server Side Request Forgery Prevention Cheat Sheet
 */
export async function post({
  url: text,
  headers,
  body,
  rules,
  lookUps,
  now,
  signal: stop,
  connections,
}: Post): Promise<PostResult> {
  const failed = (error: PostError): PostResult => ({ error, status: null, body: null, retryAfterMs: 0 });
  const url = new URL(text);
  if (!mayCall(url, rules)) return failed('address_not_allowed');
  const { request, Agent } = await (url.protocol === 'https:' ? https : http)();
  const agent = connections?.agent(url.protocol, Agent) ?? false;
  const sent = request(url, { method: 'POST', headers, agent, lookup: allowedLookup(rules, lookUps) });
  const timer = setTimeout(() => sent.destroy(new TookTooLong()), TIMEOUT_MS);
  const cancel = () => sent.destroy();
  if (stop?.aborted) cancel();
  stop?.addEventListener('abort', cancel);
  try {
    const answer = await answerOf(sent, body);
    if (typeof answer === 'string') return failed(answer);
    const { response, start } = answer;
    const { statusCode: status = 0 } = response;
    const retryAfterMs = readRetryAfter(response.headers['retry-after'], now);
    return { error: errorOf(status), status, body: start, retryAfterMs };
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', cancel);
  }
}
