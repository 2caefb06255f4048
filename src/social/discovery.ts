import type { ServerMetadata } from 'openid-client';
import { fault, fieldNames, logText, quoted } from './fault.ts';
import type { Issuer } from './openid-connect.ts';
import { describeEndpoint, type Endpoint, readJsonObject, requestProvider } from './outgoing.ts';

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

function checkEndpoints(metadata: Record<string, unknown>, { mayUseHttp, setting }: Issuer): void {
  for (const name of NEEDED) {
    const address = metadata[name];
    const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
    if (url?.protocol === 'https:' || (mayUseHttp && url?.protocol === 'http:')) continue;
    const shown = address === undefined ? 'lacks' : `has an unusable ${quoted(String(address))} as`;
    throw fault(
      'PROVIDER_MISCONFIGURED',
      `the discovery document of ${setting} ${shown} ${name}; it has the fields ${fieldNames(metadata)}`,
    );
  }
}

/** Checks that the issuer in the document is the configured issuer (OpenID Connect Discovery 1.0 §4.3). */
function checkIssuer({ issuer }: Record<string, unknown>, { url, setting }: Issuer): void {
  // Comparing parsed URLs ignores a final slash after a host without a path, which makes no difference.
  if (typeof issuer === 'string' && URL.canParse(issuer) && new URL(issuer).href === new URL(url).href) return;
  const found = typeof issuer === 'string' ? quoted(issuer) : 'no issuer';
  const words = `the discovery document names the issuer ${found}, but ${setting} is ${JSON.stringify(logText(url))}`;
  throw fault('PROVIDER_MISCONFIGURED', words);
}

const isMetadata = (document: Record<string, unknown>): document is ServerMetadata =>
  typeof document.issuer === 'string';

/**
 * Fetches the discovery document of an issuer. It refuses a document without an endpoint that a sign-in needs, so that
 * the sign-in fails before the person enters a password at the provider.
 *
 * @throws AppError PROVIDER_UNREACHABLE if the provider does not answer; PROVIDER_MISCONFIGURED if its answer is not a
 *   usable document of this issuer; PROVIDER_ANSWER_INVALID if `requestProvider` refuses the answer
 * @see OpenID Connect Discovery 1.0 §4
 */
export async function discover(issuer: Issuer): Promise<ServerMetadata> {
  const url = `${issuer.url.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const endpoint: Endpoint = { url, name: 'discovery document', setting: issuer.setting };
  const response = await requestProvider(endpoint);
  if (!response.ok) throw fault('PROVIDER_MISCONFIGURED', `${describeEndpoint(endpoint)} answered ${response.status}`);
  const document = await readJsonObject(response, endpoint, 'PROVIDER_MISCONFIGURED');
  checkIssuer(document, issuer);
  checkEndpoints(document, issuer);
  if (isMetadata(document)) return document;
  throw fault('PROVIDER_MISCONFIGURED', 'the discovery document names no issuer');
}
