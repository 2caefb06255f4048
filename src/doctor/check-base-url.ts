import { type Clock, SECOND_MS } from '../lib/clock.ts';
import { connectionFault } from '../lib/connection-fault.ts';
import { type Finding, failure, fine } from './finding.ts';
import type { ProbeAnswer } from './send-probe.ts';

/** If the two clocks differ by more than this, the service may refuse the code of a probe. */
const CLOCKS_APART_MS = 30 * SECOND_MS;

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

function reasonOf(error: unknown): string {
  if (isTimeout(error)) return 'no answer came within 4 seconds';
  return connectionFault(error)?.reason ?? (error instanceof Error ? error.message : String(error));
}

function hintFor({ status, location, date }: ProbeAnswer, now: number): string {
  if (location !== undefined) return 'Set BASE_URL to the address that it redirects to, or correct the redirect.';
  if (status >= 502 && status <= 504)
    return 'A proxy answers, but does not reach the service: start the service, or correct the address in the proxy.';
  if (date !== undefined && Math.abs(date - now) > CLOCKS_APART_MS)
    return `Its clock differs from the clock of this machine by ${Math.round((date - now) / SECOND_MS)} s, so it refuses the code that doctor sends: set the clocks.`;
  return 'Correct BASE_URL or the proxy. If the address is right, the service there has another version or another SESSION_SECRET_KEY: restart it with these settings.';
}

/** Checks that this service answers at BASE_URL. */
export async function checkBaseUrl(baseUrl: string, probe: Promise<ProbeAnswer>, clock: Clock): Promise<Finding> {
  try {
    const answer = await probe;
    if (answer.arrival) return fine(`${baseUrl} is this service.`);
    const { status, location } = answer;
    const target = location !== undefined && URL.canParse(location, baseUrl) ? new URL(location, baseUrl).origin : '';
    const found = `answers with status ${status}${target && ` and redirects to ${target}`}`;
    return failure(`${baseUrl} ${found}, so the reply is not from this service.`, hintFor(answer, clock.now()));
  } catch (error) {
    const known = connectionFault(error);
    const hint = known?.reason.includes('certificate')
      ? 'Install a certificate that browsers trust for this host, with its intermediate certificates.'
      : 'Start the service, or correct BASE_URL (DNS, port, firewall, proxy).';
    return failure(`${baseUrl} does not answer: ${reasonOf(error)}.`, hint);
  }
}
