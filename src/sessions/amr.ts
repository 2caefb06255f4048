import type { UsedFactor } from '../events/event-types.ts';
import type { SignInMethod } from './session.ts';

/**
 * How the user of a sign-in was authenticated: `pwd` password, `otp` one-time code, `swk` key in software, `user` test
 * of user presence, `fed` sign-in through a provider, `mfa` two factors.
 *
 * @see RFC 8176 §2, except `fed`, which is our own value
 */
export type AuthenticationMethod = 'pwd' | 'otp' | 'swk' | 'user' | 'fed' | 'mfa';

/**
 * Returns the authentication methods of a sign-in.
 *
 * A trusted browser adds no method, because its code was entered in an earlier sign-in.
 */
export function authenticationMethods(method: SignInMethod, secondFactor: UsedFactor): AuthenticationMethod[] {
  // A passkey counts as two factors: it proves possession of a key, and its authenticator has verified the user.
  if (secondFactor === 'passkey') return ['swk', 'user', 'mfa'];
  // A sign-in by link counts as a password, because the user has just set a password through that link.
  const first = method === 'password' || method === 'link' ? 'pwd' : 'fed';
  const isCodeUsed = secondFactor === 'totp' || secondFactor === 'recovery_code';
  return isCodeUsed ? [first, 'otp', 'mfa'] : [first];
}
