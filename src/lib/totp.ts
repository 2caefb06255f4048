import { createGuardrails, generateSecret, generateURI, verifySync } from 'otplib';
import { toHyphens } from './dashes.ts';

const STEP_SECONDS = 30;
/** Early authenticator apps created secrets of 80 bits; other systems keep up to 80 bytes. authsvc creates 160 bits. */
const guardrails = createGuardrails({ MIN_SECRET_BYTES: 10, MAX_SECRET_BYTES: 80 });

/** What a code looks like. */
export const TOTP_CODE_SHAPE = /^[0-9]{6}$/;

/** A new secret: 160 random bits as base32. */
export const newTotpSecret = (): string => generateSecret();

/** A typed secret in the form in which it is stored; undefined if it is not a secret. */
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

/** The address that an authenticator app reads from a QR code. It separates issuer and account with a colon. */
export const totpUrl = (secret: string, issuer: string, account: string): string =>
  generateURI({ issuer: issuer.replace(/\s*:\s*/g, ' ').trim(), label: account, secret });

/**
 * The time step of a code, at most one before or after `now`; undefined for a wrong code.
 *
 * @param code six digits
 * @param now ms since the epoch
 * @see RFC 6238 §5.2 (one step of drift); the caller must make sure that no step is accepted twice
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

/** The newest time step whose code `matchTotp` accepts at `now`, in milliseconds since the epoch. */
export const newestTotpStep = (now: number): number => Math.floor(now / 1000 / STEP_SECONDS) + 1;
