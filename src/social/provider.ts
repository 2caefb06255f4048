import type { Services } from '../http/route.ts';
import type { ProviderSettings } from '../settings/identity-providers.ts';

/** The parts of the service that a provider may use. */
export type ProviderServices = Pick<Services, 'clock'>;

/** The parameters that a sign-in sends to the provider. */
export interface AuthorizationRequest {
  redirectUri: string;
  state: string;
  nonce: string;
  /** The PKCE S256 challenge of the verifier (RFC 7636 §4.2). */
  challenge: string;
}

/** The parameters of a callback, together with the data of the started sign-in. */
export interface AuthorizationAnswer {
  redirectUri: string;
  code: string;
  state: string;
  /** The issuer that the callback names (RFC 9207); undefined for providers that do not send it. */
  issuer: string | undefined;
  nonce: string;
  verifier: string;
}

/** A provider of social sign-in. README.md describes how to add one. */
export interface Provider {
  settings: ProviderSettings;
  /** Returns the URL of the provider's page on which the person signs in. Throws AppError PROVIDER_…. */
  startUrl(request: AuthorizationRequest, services: ProviderServices): Promise<URL>;
  /** Returns the permanent id of the person's account, which is unique at this provider. Throws AppError PROVIDER_…. */
  accountId(answer: AuthorizationAnswer, services: ProviderServices): Promise<string>;
}
