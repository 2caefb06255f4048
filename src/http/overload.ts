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

/** Maximum number of requests that may be processed at once. Vital routes are not counted. */
const MAX_AT_WORK = 1000;
const LOOK_EVERY_MS = 100;
/**
 * The event loop counts as overloaded if two checks in a row run later than planned by more than this. A single long
 * step is not an overload.
 */
const LATE_MS = 1000;
const RETRY_AFTER_SECONDS = 1;

/** Two times in milliseconds: that of a monotonic clock, and the processor time that the process has used. */
interface Look {
  at: number;
  cpu: number;
}

/**
 * Creates a check that detects an overloaded event loop. It ignores a single long step. It also ignores a clock
 * that changed or a machine that slept, because the process used no processor time then.
 */
export function createLateness() {
  let last: Look | undefined;
  let lateLooks = 0;
  return {
    /**
     * Notes whether the event loop is late. Call this function every 100 ms, or as soon after that as the event loop
     * allows.
     */
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

/** Refuses requests for which the process has no capacity. */
export interface OverloadGuard {
  /**
   * Counts a request as being processed until its answer is sent or its client disconnects.
   *
   * @throws AppError OVERLOADED if the process is overloaded, or if the client already uses its share
   */
  enter(request: FastifyRequest, reply: FastifyReply): void;
  /** Stops counting a request, because it waits for its body or because its answer is being sent. */
  leave(reply: FastifyReply): void;
  stop(): void;
}

/**
 * Returns the hooks with which a route calls the guard. With a body, the request is not counted while it waits for
 * the body.
 */
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
 * Creates the overload guard of a process.
 *
 * A process that accepts every request beyond its capacity answers none of them in time. A refusal costs little and
 * says when to try again. Health checks bypass the guard, and so do session checks, which applications send with
 * each of their own requests. Each client has a share of the capacity, so that one client cannot use all of it.
 *
 * @see RFC 9110 §15.6.4; ASVS 5.0 15.2.2
 */
export function createOverloadGuard(log: FastifyBaseLogger): OverloadGuard {
  const lateness = createLateness();
  const shares = new Shares(MAX_AT_WORK);
  /** The client of each request that is being processed, by its reply. */
  const atWork = new Map<FastifyReply, string>();
  let refused = 0;
  const timer = setInterval(() => {
    lateness.look(lookNow());
    if (refused > 0) log.warn({ refused, atWork: shares.taken }, 'refused requests, because the process is overloaded');
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
