import { createGuardrails, generateSecret, generateURI, verifySync } from 'otplib';
import { toHyphens } from './dashes.ts';

const STEP_SECONDS = 30;
/**
 * Early authenticator apps created secrets of 80 bits, and other systems keep secrets of up to 80 bytes. authsvc
 * creates 160 bits.
 */
const guardrails = createGuardrails({ MIN_SECRET_BYTES: 10, MAX_SECRET_BYTES: 80 });

/** The format of a code. */
export const TOTP_CODE_SHAPE = /^[0-9]{6}$/;

/** Returns a new secret: 160 random bits in base32. */
export const newTotpSecret = (): string => generateSecret();

/** Parses a typed secret. Returns it in the format in which it is stored, or undefined if it is not a secret. */
export function parseTotpSecret(text: string): string | undefined {
  const secret = toHyphens(text).replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
  if (!/^[A-Z2-7]{16,128}$/.test(secret)) return undefined;
  try {
    verifySync({ secret, token: '000000', guardrails });
    return secret;
  } catch {
    return undefined;
  }
}

/**
 * Returns the URL that an authenticator app reads from a QR code. Removes colons from the issuer, because a colon
 * separates the issuer from the account.
 */
export const totpUrl = (secret: string, issuer: string, account: string): string =>
  generateURI({ issuer: issuer.replace(/\s*:\s*/g, ' ').trim(), label: account, secret });

/**
 * Checks a code. The caller must make sure that no time step is accepted twice.
 *
 * @param code six digits
 * @param now milliseconds since the epoch
 * @returns the time step of the code, at most one before or after `now`; undefined for a wrong code
 * @see RFC 6238 §5.2 (one step of drift)
 */
export function matchTotp(secret: string, code: string, now: number): number | undefined {
  const epoch = Math.floor(now / 1000);
  const result = verifySync({
    secret,
    token: code,
    epoch,
    period: STEP_SECONDS,
    epochTolerance: STEP_SECONDS,
    guardrails,
  });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}

/** Returns the newest time step whose code `matchTotp` accepts at `now`, in milliseconds since the epoch. */
export const newestTotpStep = (now: number): number => Math.floor(now / 1000 / STEP_SECONDS) + 1;
