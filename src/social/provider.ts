import type { Services } from '../http/route.ts';
import type { ProviderSettings } from '../settings/identity-providers.ts';

/** The parts of the service that a provider may use. */
export type ProviderServices = Pick<Services, 'clock'>;

/** What a start sends to the provider. */
export interface AuthorizationRequest {
  redirectUri: string;
  state: string;
  nonce: string;
  /** PKCE S256 challenge of the verifier (RFC 7636 §4.2). */
  challenge: string;
}

/** The callback of the browser, with the data of its start. */
export interface AuthorizationAnswer {
  redirectUri: string;
  code: string;
  state: string;
  /** The issuer that claims to have answered (RFC 9207). Not every provider sends it. */
  issuer: string | undefined;
  nonce: string;
  verifier: string;
}

/** Sign-in through accounts elsewhere. README.md describes how to add a provider. */
export interface Provider {
  settings: ProviderSettings;
  /** The page of the provider that asks the person. Throws AppError PROVIDER_…. */
  startUrl(request: AuthorizationRequest, services: ProviderServices): Promise<URL>;
  /** The permanent id of the account whose owner answered, unique at this provider. Throws AppError PROVIDER_…. */
  accountId(answer: AuthorizationAnswer, services: ProviderServices): Promise<string>;
}
