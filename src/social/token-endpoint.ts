import type { ErrorName } from '../errors/registry.ts';
import { fault, fieldNames, logText, quoted } from './fault.ts';
import { describeEndpoint, type Endpoint, readJsonObject } from './outgoing.ts';

/** Our error for each error of a token endpoint: those of RFC 6749 §5.2, and the additional ones of GitHub. */
const refusals: Record<string, ErrorName> = {
  invalid_grant: 'PROVIDER_CODE_INVALID',
  bad_verification_code: 'PROVIDER_CODE_INVALID',
  server_error: 'PROVIDER_UNREACHABLE',
  temporarily_unavailable: 'PROVIDER_UNREACHABLE',
  invalid_client: 'PROVIDER_MISCONFIGURED',
  unauthorized_client: 'PROVIDER_MISCONFIGURED',
  invalid_request: 'PROVIDER_MISCONFIGURED',
  invalid_scope: 'PROVIDER_MISCONFIGURED',
  unsupported_grant_type: 'PROVIDER_MISCONFIGURED',
  incorrect_client_credentials: 'PROVIDER_MISCONFIGURED',
  redirect_uri_mismatch: 'PROVIDER_MISCONFIGURED',
  application_suspended: 'PROVIDER_MISCONFIGURED',
};

/**
 * Returns our error for an error of a token endpoint. If we do not know the provider's error, a status 401 or 403 means
 * that the provider refuses our client.
 */
const nameOf = (error: string, status: number): ErrorName =>
  (Object.hasOwn(refusals, error) ? refusals[error] : undefined) ??
  (status === 401 || status === 403 ? 'PROVIDER_MISCONFIGURED' : 'PROVIDER_ANSWER_INVALID');

/** Formats an error and its description for the log. */
export function describeError(error: string, description: unknown, secrets: readonly string[]): string {
  const text = typeof description === 'string' ? `: ${quoted(description, secrets)}` : '';
  return `${JSON.stringify(logText(error, secrets, 60))}${text}`;
}

const isErrorText = (error: unknown): error is string => typeof error === 'string' && error !== '';

/**
 * Parses the reply of a token endpoint. It looks for an error in the body whatever the status is, because GitHub sends
 * errors with status 200.
 *
 * @param secrets texts that must not be logged
 * @returns the fields of the reply that are not null
 * @throws AppError PROVIDER_… for every error, with the provider's own error and description as the cause
 * @see RFC 6749 §5.1, §5.2
 */
export async function readTokenAnswer(
  response: Response,
  endpoint: Endpoint,
  secrets: readonly string[],
): Promise<Record<string, unknown>> {
  const { status, ok } = response;
  const fields = await readJsonObject(response, endpoint, nameOf('', status));
  const { error, error_description: description } = fields;
  const what = describeEndpoint(endpoint);
  if (isErrorText(error))
    throw fault(nameOf(error, status), `${what} refused with ${status} ${describeError(error, description, secrets)}`);
  if (!ok) throw fault(nameOf('', status), `${what} answered ${status}; it sent the fields ${fieldNames(fields)}`);
  return fields;
}
