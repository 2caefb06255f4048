import type { Services } from '../http/route.ts';
import type { SignInMethod } from '../sessions/session.ts';
import type { Settings } from '../settings/table.ts';

/** A provider is named like the way of signing in that it is. */
export type ProviderName = Exclude<SignInMethod, 'password'>;

/** What a provider may use of the service. */
export type ProviderServices = Pick<Services, 'settings' | 'clock'>;

/** What a start sends along to the provider. */
export interface AuthorizationRequest {
  redirectUri: string;
  state: string;
  nonce: string;
  /** PKCE S256 challenge of the verifier (RFC 7636 §4.2). */
  challenge: string;
}

/** What the browser brought back, with what was kept of its start. */
export interface AuthorizationAnswer {
  redirectUri: string;
  code: string;
  state: string;
  /** Who says to have answered (RFC 9207); not every provider tells. */
  issuer: string | undefined;
  nonce: string;
  verifier: string;
}

/** One way to sign in through somebody else. README.md tells how to add one. */
export interface Provider {
  name: ProviderName;
  isEnabled(settings: Settings): boolean;
  hasCredentials(settings: Settings): boolean;
  /** The page of the provider that asks the person. Throws AppError PROVIDER_…. */
  startUrl(request: AuthorizationRequest, services: ProviderServices): Promise<URL>;
  /** The lasting id of the account whose owner answered, unique at this provider. Throws AppError PROVIDER_…. */
  accountId(answer: AuthorizationAnswer, services: ProviderServices): Promise<string>;
}
