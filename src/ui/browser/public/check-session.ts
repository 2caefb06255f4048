import { Elsewhere } from './elsewhere.ts';
import type { SessionCheck } from './globals.d.ts';

const patienceMs = 10_000;

/**
 * Asks authsvc whether this browser is signed in.
 *
 * @throws Elsewhere if a program other than authsvc answers; Error if there is no answer or an error status
 */
export async function checkSession(): Promise<SessionCheck> {
  const response = await fetch('/authsvc/api/checkSession', {
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(patienceMs),
  });
  if (response.status === 404) throw new Elsewhere();
  if (!response.ok) throw new Error(`authsvc answered ${response.status}, which says nothing of the session`);
  const body: { session_valid?: unknown; expiry?: unknown } | null = await response.json().catch(() => null);
  if (typeof body?.session_valid !== 'boolean') throw new Elsewhere();
  return { session_valid: body.session_valid, expiry: typeof body.expiry === 'string' ? body.expiry : null };
}
