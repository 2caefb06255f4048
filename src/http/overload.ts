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

/** How many requests may be at work at once, not counting those that are always answered. */
const MAX_AT_WORK = 1000;
const LOOK_EVERY_MS = 100;
/** How late the event loop may be, two looks in a row: one long step alone is no overload. */
const LATE_MS = 1000;
const RETRY_AFTER_SECONDS = 1;

/** Milliseconds: of a steady clock, and of processor time that the process has used. */
interface Look {
  at: number;
  cpu: number;
}

/**
 * Distinguishes an event loop that cannot keep up from one that is held up once, and from a clock that was moved or a
 * machine that slept: then the process did not work.
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
   * Counts a request as work until it leaves or its client is gone.
   *
   * @throws AppError OVERLOADED if the process or the client's share of it is busy
   */
  enter(request: FastifyRequest, reply: FastifyReply): void;
  /** The request waits for its body, which is no work, or its answer is on the way. */
  leave(reply: FastifyReply): void;
  stop(): void;
}

/** The hooks by which a route with or without a body asks the guard. */
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
 * Makes the guard of a process.
 *
 * A process that takes every request when it is past its capacity answers none in time. Refusing is cheap and says when
 * to come back. Requests that other programs send with each of their own (is this session valid?), and health checks, do
 * not ask the guard. Each client has a share, so that one client cannot use up the process for all.
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
