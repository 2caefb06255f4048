import { type ErrorName, errorRegistry } from '../../../errors/registry.ts';
import { builtInProviderNames } from '../../../settings/provider-names.ts';
import type { SampleText } from '../../../ui/define-page.ts';
import type { ErrorPage } from './page.ts';

export function samples(text: SampleText): Record<string, ErrorPage> {
  const errorOf = (name: ErrorName): ErrorPage => {
    const { number, status, message, hint } = errorRegistry[name];
    return {
      code: name,
      errorCode: number,
      status,
      message: text(message),
      hint: text(hint),
      requestId: text('q7Kx2MfA-1c'),
    };
  };
  return {
    'not-linked': {
      ...errorOf('PROVIDER_ACCOUNT_NOT_LINKED'),
      provider: builtInProviderNames[0],
      providerAccount: text('583231'),
      goOn: { path: '/authsvc/login', words: 'signIn' },
    },
    unreachable: { ...errorOf('PROVIDER_UNREACHABLE'), provider: builtInProviderNames[1] },
    'not-found': errorOf('NOT_FOUND'),
    'no-address': errorOf('URL_INVALID'),
    'not-signed-in': errorOf('NOT_SIGNED_IN'),
    'not-allowed': {
      ...errorOf('SUPERADMIN_REQUIRED'),
      goOn: { path: `/authsvc/accounts?redirect=%2F${text('reports')}`, words: 'switchAccount' },
    },
    limit: { ...errorOf('TOO_MANY_REQUESTS'), waitSeconds: 43 },
    server: errorOf('INTERNAL_ERROR'),
  };
}
