import { type ErrorName, errorRegistry } from '../errors/registry.ts';

/**
 * The errors for which OAuth 2.0 has a specific error code, with this code. For all other errors, the HTTP status
 * decides the code.
 */
const words: { [Name in ErrorName]?: string } = {
  OIDC_TOKEN_INVALID: 'invalid_token',
  OIDC_SCOPE_MISSING: 'insufficient_scope',
};

function wordOf(name: ErrorName): string {
  const { status } = errorRegistry[name];
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return words[name] ?? (status >= 500 ? 'server_error' : 'invalid_request');
}

/**
 * Returns the body of an error of an OAuth endpoint.
 *
 * @see RFC 6749 §5.2; RFC 6750 §3.1
 */
export const oauthErrorBody = (name: ErrorName) => ({
  error: wordOf(name),
  error_description: errorRegistry[name].message,
});
