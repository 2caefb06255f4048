import type { ErrorName } from '../errors/registry.ts';
import { fault } from './fault.ts';
import type { CallbackQuery } from './schemas.ts';
import { describeError } from './token-endpoint.ts';

/**
 * The errors that a provider can send instead of a code, and our error for each (RFC 6749 §4.1.2.1, OpenID Connect Core
 * 1.0 §3.1.2.6).
 */
const names: Record<string, ErrorName> = {
  access_denied: 'PROVIDER_CANCELLED',
  login_required: 'PROVIDER_CANCELLED',
  consent_required: 'PROVIDER_CANCELLED',
  interaction_required: 'PROVIDER_CANCELLED',
  account_selection_required: 'PROVIDER_CANCELLED',
  server_error: 'PROVIDER_UNREACHABLE',
  temporarily_unavailable: 'PROVIDER_UNREACHABLE',
  invalid_client: 'PROVIDER_MISCONFIGURED',
  invalid_request: 'PROVIDER_MISCONFIGURED',
  invalid_scope: 'PROVIDER_MISCONFIGURED',
  unauthorized_client: 'PROVIDER_MISCONFIGURED',
  unsupported_response_type: 'PROVIDER_MISCONFIGURED',
  redirect_uri_mismatch: 'PROVIDER_MISCONFIGURED',
  application_suspended: 'PROVIDER_MISCONFIGURED',
};

/**
 * Throws if a callback contains an error instead of a code.
 *
 * An unknown, empty or repeated error is not treated as a fault of the provider, because any browser can send it.
 *
 * @param secrets texts that must not be logged
 * @throws AppError PROVIDER_… whose cause contains the provider's own error and description
 */
export function refuseAuthorizationError(query: CallbackQuery, secrets: readonly string[]): void {
  const { error, error_description: description } = query;
  if (error === undefined) return;
  const text = typeof error === 'string' ? error : 'several errors';
  const name = (Object.hasOwn(names, text) ? names[text] : undefined) ?? 'PROVIDER_PROOF_INVALID';
  throw fault(name, `the browser came back with the error ${describeError(text, description, secrets)}`);
}
