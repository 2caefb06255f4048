import type { Handle } from '../db/handle.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { sha256 } from '../lib/digest.ts';
import { randomText } from '../lib/random.ts';
import { insertChallenge, takeChallenge } from './passkey-queries.ts';

/** How long an authenticator may take. */
export const CHALLENGE_LIFE_MS = 5 * MINUTE_MS;
const CHALLENGE_BYTES = 32;

/** The purpose of a challenge. Its answer is valid only for this purpose. */
export type ChallengePurpose = 'sign-in' | 'confirmation' | 'registration' | `link ${string}`;

/** The browser that asks for a challenge. */
export interface ChallengeHolder {
  /** Its name from http/csrf.ts. */
  browser: string;
  /** The session that the browser uses; undefined: none. */
  sessionId: string | undefined;
}

/** The browser that sends an answer. It may have several names. */
export interface AnsweringBrowser {
  browsers: readonly string[];
  sessionId: string | undefined;
}

/**
 * Issues a challenge. Earlier ones, such as those of another tab, stay valid.
 *
 * @returns base64url of 32 random bytes
 * @see Web Authentication Level 3 §13.4.3; OWASP ASVS 5.0 6.6.2
 */
export async function issueChallenge(
  database: Handle,
  { holder, purpose, now }: { holder: ChallengeHolder; purpose: ChallengePurpose; now: number },
): Promise<string> {
  const challenge = randomText(CHALLENGE_BYTES);
  await insertChallenge.run(database, {
    challengeHash: sha256(challenge),
    purpose,
    browser: holder.browser,
    sessionId: holder.sessionId ?? null,
    expiresAt: now + CHALLENGE_LIFE_MS,
  });
  return challenge;
}

interface Answer {
  challenge: string;
  purpose: ChallengePurpose;
  from: AnsweringBrowser;
  now: number;
}

/**
 * Uses up a challenge, whether the answer is right or not.
 *
 * @returns whether it was issued for this purpose to this browser and has not expired; a challenge that was issued to a
 *   session must come from that session
 */
export async function consumeChallenge(database: Handle, { challenge, purpose, from, now }: Answer): Promise<boolean> {
  const issued = await takeChallenge.first(database, { challengeHash: sha256(challenge) });
  if (!issued || issued.purpose !== purpose || issued.expires_at <= now) return false;
  const isSameSession = issued.session_id === null || issued.session_id === from.sessionId;
  return isSameSession && from.browsers.includes(issued.browser);
}
