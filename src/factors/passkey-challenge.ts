import type { Handle } from '../db/handle.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { sha256 } from '../lib/digest.ts';
import { randomText } from '../lib/random.ts';
import { insertChallenge, takeChallenge } from './passkey-queries.ts';

/** How long a challenge is valid. An authenticator must respond within this time. */
export const CHALLENGE_LIFE_MS = 5 * MINUTE_MS;
const CHALLENGE_BYTES = 32;

/** The purpose of a challenge. A response to the challenge is valid only for this purpose. */
export type ChallengePurpose = 'sign-in' | 'confirmation' | 'registration' | `link ${string}`;

/** The browser that requests a challenge. */
export interface ChallengeHolder {
  /** The browser's identifier from http/csrf.ts. */
  browser: string;
  /** The id of the browser's current session, or undefined if the browser is not signed in. */
  sessionId: string | undefined;
}

/** The browser that sends the response of an authenticator. The browser may have several identifiers. */
export interface AnsweringBrowser {
  browsers: readonly string[];
  sessionId: string | undefined;
}

/**
 * Issues a challenge. Earlier challenges stay valid, because they may belong to another tab.
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
 * Deletes a challenge, so that it can be used only once.
 *
 * @returns whether the challenge was issued to this browser for this purpose and has not expired. If it was issued
 * within a session, the response must come from the same session
 */
export async function consumeChallenge(database: Handle, { challenge, purpose, from, now }: Answer): Promise<boolean> {
  const issued = await takeChallenge.first(database, { challengeHash: sha256(challenge) });
  if (!issued || issued.purpose !== purpose || issued.expires_at <= now) return false;
  const isSameSession = issued.session_id === null || issued.session_id === from.sessionId;
  return isSameSession && from.browsers.includes(issued.browser);
}
