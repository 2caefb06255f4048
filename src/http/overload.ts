import type {
  FastifyBaseLogger,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
  preParsingHookHandler,
} from 'fastify';
import { AppError } from '../errors/app-error.ts';
import { Shares } from '../lib/shares.ts';
import { siteKey } from './client-address.ts';

/** How many requests may be at work at once, without those that are always answered. */
const MAX_AT_WORK = 1000;
const LOOK_EVERY_MS = 100;
/** How late the event loop may be in two checks in a row. One long step alone is not an overload. */
const LATE_MS = 1000;
const RETRY_AFTER_SECONDS = 1;

/** Milliseconds: of a steady clock, and of processor time that the process has used. */
interface Look {
  at: number;
  cpu: number;
}

/**
 * Distinguishes an event loop that cannot keep up from one that is blocked once, and from a changed clock or a machine
 * that slept, when the process used no processor time.
 */
export function createLateness() {
  let last: Look | undefined;
  let lateLooks = 0;
  return {
    /** Called every 100 ms, as far as the event loop allows. */
    look(now: Look): void {
      const isLate =
        last !== undefined && now.at - last.at - LOOK_EVERY_MS > LATE_MS && now.cpu - last.cpu > LATE_MS / 2;
      lateLooks = isLate ? lateLooks + 1 : 0;
      last = now;
    },
    isLate: () => lateLooks >= 2,
  };
}

function lookNow(): Look {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), cpu: (user + system) / 1000 };
}

/** Refuses requests that the process has no room for. */
export interface OverloadGuard {
  /**
   * Counts a request as work until its answer is sent or its client disconnects.
   *
   * @throws AppError OVERLOADED if the process or the client's share of it is busy
   */
  enter(request: FastifyRequest, reply: FastifyReply): void;
  /** The request waits for its body, which is not work, or its answer is being sent. */
  leave(reply: FastifyReply): void;
  stop(): void;
}

/** The hooks with which a route with or without a body asks the guard. */
export function overloadHooks({ enter, leave }: OverloadGuard, hasBody: boolean) {
  const letIn: onRequestHookHandler = (request, reply, done) => {
    enter(request, reply);
    done();
  };
  const letWait: preParsingHookHandler = (_request, reply, _payload, done) => {
    leave(reply);
    done();
  };
  const letOut: onSendHookHandler = (_request, reply, _payload, done) => {
    leave(reply);
    done();
  };
  return {
    onRequest: [letIn],
    onSend: [letOut],
    ...(hasBody ? { preParsing: [letWait], preValidation: [letIn] } : {}),
  };
}

/**
 * Creates the guard of a process.
 *
 * A process that accepts every request beyond its capacity answers none in time. A refusal is cheap and says when to
 * try again. Session checks, which applications send with each of their own requests, and health checks do not ask the
 * guard. Each client has a share, so that one client cannot use up the process.
 *
 * @see RFC 9110 §15.6.4; ASVS 5.0 15.2.2
 */
export function createOverloadGuard(log: FastifyBaseLogger): OverloadGuard {
  const lateness = createLateness();
  const shares = new Shares(MAX_AT_WORK);
  /** The client of each request that is at work, by its reply. */
  const atWork = new Map<FastifyReply, string>();
  let refused = 0;
  const timer = setInterval(() => {
    lateness.look(lookNow());
    if (refused > 0) log.warn({ refused, atWork: shares.taken }, 'more requests than the process can answer');
    refused = 0;
  }, LOOK_EVERY_MS);
  timer.unref();
  const leave = (reply: FastifyReply) => {
    const client = atWork.get(reply);
    if (client === undefined) return;
    atWork.delete(reply);
    shares.release(client);
  };
  return {
    enter: (request, reply) => {
      const client = siteKey(request);
      if (lateness.isLate() || !shares.take(client)) {
        refused += 1;
        throw new AppError('OVERLOADED', { retryAfterSeconds: RETRY_AFTER_SECONDS });
      }
      atWork.set(reply, client);
      reply.raw.once('close', () => leave(reply));
    },
    leave,
    stop: () => clearInterval(timer),
  };
}
