import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';

/** What token endpoints call their refusals: RFC 6749 §5.2, and GitHub's own words. */
const refusals: Record<string, ErrorName> = {
  invalid_grant: 'PROVIDER_CODE_INVALID',
  bad_verification_code: 'PROVIDER_CODE_INVALID',
  invalid_client: 'PROVIDER_MISCONFIGURED',
  unauthorized_client: 'PROVIDER_MISCONFIGURED',
  incorrect_client_credentials: 'PROVIDER_MISCONFIGURED',
  redirect_uri_mismatch: 'PROVIDER_MISCONFIGURED',
};

/** The refusal of a token endpoint as one of ours. Its word goes into the log where it is a known one; its text never. */
export function tokenRefusal(error: string): AppError {
  const known = Object.hasOwn(refusals, error) ? refusals[error] : undefined;
  const cause = new Error(`the token endpoint refused: ${known ? error : 'for a reason of its own'}`);
  return new AppError(known ?? 'PROVIDER_ANSWER_INVALID', { cause });
}
