import type { UsedFactor } from '../events/event-types.ts';
import type { SignInMethod } from './session.ts';

/**
 * The authentication methods of a sign-in: password, one-time code, software key, presence of the user, a provider; or
 * two factors at once.
 *
 * @see RFC 8176 §2; `fed` is our own
 */
export type AuthenticationMethod = 'pwd' | 'otp' | 'swk' | 'user' | 'fed' | 'mfa';

/**
 * Returns the authentication methods of a sign-in.
 *
 * A trusted browser proves nothing: its code was entered in an earlier sign-in.
 */
export function authenticationMethods(method: SignInMethod, secondFactor: UsedFactor): AuthenticationMethod[] {
  // The authenticator holds a key, and has verified the user.
  if (secondFactor === 'passkey') return ['swk', 'user', 'mfa'];
  // A link sets a password and signs in with it.
  const first = method === 'password' || method === 'link' ? 'pwd' : 'fed';
  const isCodeUsed = secondFactor === 'totp' || secondFactor === 'recovery_code';
  return isCodeUsed ? [first, 'otp', 'mfa'] : [first];
}
