import type { Services } from '../http/route.ts';
import type { ProviderSettings } from '../settings/identity-providers.ts';

/** What a provider may use of the service. */
export type ProviderServices = Pick<Services, 'clock'>;

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

/** Sign-in through accounts elsewhere. README.md tells how to add a provider. */
export interface Provider {
  settings: ProviderSettings;
  /** The page of the provider that asks the person. Throws AppError PROVIDER_…. */
  startUrl(request: AuthorizationRequest, services: ProviderServices): Promise<URL>;
  /** The lasting id of the account whose owner answered, unique at this provider. Throws AppError PROVIDER_…. */
  accountId(answer: AuthorizationAnswer, services: ProviderServices): Promise<string>;
}
