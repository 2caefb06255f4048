import { readerOf, refusalOf } from './answer.ts';
import { type Ask, isTemporary } from './ask.ts';
import { ClientError } from './client-error.ts';
import { sleep } from './sleep.ts';
import type { PollReply, PollStatus } from './wire.ts';

/** The result of a device login. */
export interface Login {
  /** API token. Store it where only its user can read it. The server does not send it again. */
  token: string;
  /** Beginning of the token, which lists of tokens show. */
  tokenPrefix: string;
  username: string;
}

/** @internal */
interface Waiting {
  deviceCode: string;
  /** Seconds until the request expires. */
  expiresIn: number;
  /** Seconds between two polls. */
  interval: number;
}

const MAX_PAUSE_SECONDS = 60;
/** Pause between two polls if the server's interval is not positive. The default of RFC 8628 §3.2. */
const DEFAULT_PAUSE_SECONDS = 5;

const expired = () => new ClientError('expired', 'The request was not approved in time.');

const endings: Record<Exclude<PollStatus, 'approved' | 'pending'>, () => ClientError> = {
  denied: () => new ClientError('denied', 'The request was denied.'),
  expired,
  completed: () => new ClientError('expired', 'The token of this request has already been delivered.'),
};

const isEnding = (status: string): status is keyof typeof endings => Object.hasOwn(endings, status);

type Step = { login: Login } | { pauseSeconds: number };

async function pollOnce(ask: Ask, { deviceCode, interval }: Waiting, signal: AbortSignal | undefined): Promise<Step> {
  const answer = await ask('/api/cli/device/token', { device_code: deviceCode }, signal);
  if (isTemporary(answer.status)) return { pauseSeconds: Math.max(interval, answer.waitSeconds ?? 0) };
  if (answer.status !== 200) throw refusalOf(answer);
  const read = readerOf<PollReply>(answer.fields);
  const status = read.text('status');
  if (status === 'approved') {
    return {
      login: { token: read.text('token'), tokenPrefix: read.text('token_prefix'), username: read.text('username') },
    };
  }
  if (isEnding(status)) throw endings[status]();
  return { pauseSeconds: read.number('interval') };
}

/**
 * Polls until the person approves or denies the request, or until it expires. If the server does not reply, doubles the
 * pause and polls again. If the server replies with 429 or 5xx, polls again after its `Retry-After`.
 *
 * @throws ClientError `denied`, `expired`, `refused` or `unexpected`; `unreachable` if the server still does not reply when
 *   the request expires; the abort reason of `signal`
 * @see RFC 8628 §3.5
 * @internal
 */
export async function waitForLogin(ask: Ask, waiting: Waiting, signal?: AbortSignal): Promise<Login> {
  const end = performance.now() + waiting.expiresIn * 1000;
  let pauseSeconds = waiting.interval;
  for (;;) {
    const pause = pauseSeconds > 0 ? Math.min(pauseSeconds, MAX_PAUSE_SECONDS) : DEFAULT_PAUSE_SECONDS;
    await sleep(pause * 1000, signal);
    try {
      const step = await pollOnce(ask, waiting, signal);
      if ('login' in step) return step.login;
      ({ pauseSeconds } = step);
    } catch (error) {
      const isAway = error instanceof ClientError && error.reason === 'unreachable';
      if (!isAway || performance.now() >= end) throw error;
      pauseSeconds *= 2;
    }
    if (performance.now() >= end + waiting.interval * 1000) throw expired();
  }
}
