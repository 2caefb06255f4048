import { setTimeout as sleep } from 'node:timers/promises';
import type { PollReply } from '../device-login/schemas.ts';
import { type Ask, ClientError, isPassing, readerOf, refusalOf } from './http.ts';

/** What a program got by a device login. */
export interface Login {
  /** Keep it where nobody else reads it; the server does not give it a second time. */
  token: string;
  tokenPrefix: string;
  username: string;
}

export interface Waiting {
  deviceCode: string;
  /** Seconds until nobody can approve any more. */
  expiresIn: number;
  /** Seconds between two polls. */
  interval: number;
}

const MAX_PAUSE_SECONDS = 60;
/** Where a server names none (RFC 8628 §3.2). */
const USUAL_PAUSE_SECONDS = 5;

const endings: Partial<Record<PollReply['status'], { reason: 'denied' | 'expired'; message: string }>> = {
  denied: { reason: 'denied', message: 'The request was denied.' },
  expired: { reason: 'expired', message: 'Nobody approved the request in time.' },
  completed: { reason: 'expired', message: 'The token of this request was delivered before.' },
};

type Step = { login: Login } | { pauseSeconds: number };

async function pollOnce(ask: Ask, { deviceCode, interval }: Waiting, signal: AbortSignal | undefined): Promise<Step> {
  const answer = await ask('/api/cli/device/token', { device_code: deviceCode }, signal);
  if (isPassing(answer.status)) return { pauseSeconds: Math.max(interval, answer.waitSeconds ?? 0) };
  if (answer.status !== 200) throw refusalOf(answer);
  const read = readerOf(answer.fields);
  const status = read.text('status');
  if (status === 'approved') {
    return {
      login: { token: read.text('token'), tokenPrefix: read.text('token_prefix'), username: read.text('username') },
    };
  }
  const ending = endings[status];
  if (ending) throw new ClientError(ending.reason, ending.message);
  return { pauseSeconds: read.number('interval') };
}

/**
 * Polls until somebody has decided. A server that does not answer, or asks for patience, is asked again, each time
 * later, as long as the request can still be approved.
 *
 * Throws  ClientError `denied`, `expired`, `refused`, `unexpected`; `unreachable` when time ran out without an answer;
 *         what `signal` was aborted with.
 * Source  RFC 8628 §3.5
 */
export async function waitForLogin(ask: Ask, waiting: Waiting, signal?: AbortSignal): Promise<Login> {
  const end = performance.now() + waiting.expiresIn * 1000;
  let pauseSeconds = waiting.interval;
  for (;;) {
    const pause = pauseSeconds > 0 ? Math.min(pauseSeconds, MAX_PAUSE_SECONDS) : USUAL_PAUSE_SECONDS;
    await sleep(pause * 1000, undefined, signal ? { signal } : {});
    try {
      const step = await pollOnce(ask, waiting, signal);
      if ('login' in step) return step.login;
      ({ pauseSeconds } = step);
    } catch (error) {
      const isAway = error instanceof ClientError && error.reason === 'unreachable';
      if (!isAway || performance.now() >= end) throw error;
      pauseSeconds *= 2;
    }
    if (performance.now() >= end + waiting.interval * 1000) {
      throw new ClientError('expired', 'Nobody approved the request in time.');
    }
  }
}
