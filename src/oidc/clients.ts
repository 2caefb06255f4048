import type { AllClientMetadata } from 'oidc-provider';
import type { Application } from '../applications/application.ts';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** Where the library finds the redirect URIs; its own property allows fewer of them. */
export const REGISTERED_URIS = 'registered_redirect_uris';

/** How an application may get tokens. */
function grantTypesOf({ redirectUris, deviceFlow, isPublic }: Application): string[] {
  const hasPeople = redirectUris.length > 0 || deviceFlow;
  return [
    ...(redirectUris.length > 0 ? ['authorization_code'] : []),
    ...(deviceFlow ? [DEVICE_GRANT] : []),
    ...(hasPeople ? ['refresh_token'] : []),
    ...(isPublic ? [] : ['client_credentials']),
  ];
}

/** The hashes of the secrets of an application as one text, which only `isSecretOf` reads. */
const secretText = ({ secrets }: Application): string =>
  secrets.map(({ hash, expiresAt }) => `${hash}.${expiresAt ?? ''}`).join('.') || 'none';

/** The secrets in such a text, as hashes, that count now. */
export function secretHashes(text: string, now: number): string[] {
  const parts = text.split('.');
  return parts.flatMap((hash, at) => {
    const expiresAt = parts[at + 1] ?? '';
    return at % 2 === 0 && hash !== '' && (expiresAt === '' || Number(expiresAt) > now) ? [hash] : [];
  });
}

/** An application as the library knows its clients. */
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
