import type { AllClientMetadata } from 'oidc-provider';
import type { Application } from '../applications/application.ts';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/**
 * The client property that contains the redirect URIs. The library's own property cannot be used, because it
 * accepts fewer kinds of URIs.
 */
export const REGISTERED_URIS = 'registered_redirect_uris';

/** Returns the OAuth grant types that an application may use. */
function grantTypesOf({ redirectUris, deviceFlow, isPublic }: Application): string[] {
  const hasPeople = redirectUris.length > 0 || deviceFlow;
  return [
    ...(redirectUris.length > 0 ? ['authorization_code'] : []),
    ...(deviceFlow ? [DEVICE_GRANT] : []),
    ...(hasPeople ? ['refresh_token'] : []),
    ...(isPublic ? [] : ['client_credentials']),
  ];
}

/**
 * Joins the hashes of an application's secrets into one text, because a client of the library has only one secret.
 * Only `secretHashes` parses this text.
 */
const secretText = ({ secrets }: Application): string =>
  secrets.map(({ hash, expiresAt }) => `${hash}.${expiresAt ?? ''}`).join('.') || 'none';

/** Returns the hashes in a text from `secretText` whose secrets have not expired. */
export function secretHashes(text: string, now: number): string[] {
  const parts = text.split('.');
  return parts.flatMap((hash, at) => {
    const expiresAt = parts[at + 1] ?? '';
    return at % 2 === 0 && hash !== '' && (expiresAt === '' || Number(expiresAt) > now) ? [hash] : [];
  });
}

/** Converts an application into a client of the library. */
export function toClient(application: Application): AllClientMetadata {
  const { key, name, redirectUris, isPublic, idTokenAlg, isThirdParty, pkceRequired } = application;
  const hasCode = redirectUris.length > 0;
  return {
    client_id: key,
    client_name: name,
    application_type: 'web',
    redirect_uris: hasCode ? ['https://registered.invalid/'] : [],
    [REGISTERED_URIS]: redirectUris,
    response_types: hasCode ? ['code'] : [],
    grant_types: grantTypesOf(application),
    token_endpoint_auth_method: isPublic ? 'none' : 'client_secret_basic',
    ...(isPublic ? {} : { client_secret: secretText(application) }),
    id_token_signed_response_alg: idTokenAlg,
    is_third_party: isThirdParty,
    pkce_required: pkceRequired,
  };
}
