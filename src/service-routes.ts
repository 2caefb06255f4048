import { fileRoutes } from './about/file-routes.ts';
import { aboutRoutes } from './about/routes.ts';
import { accountRoutes } from './accounts/routes.ts';
import { consoleRoutes } from './admin/console-routes.ts';
import { adminRoutes } from './admin/routes.ts';
import { apiTokenRoutes } from './api-tokens/routes.ts';
import { appSessionRoutes } from './app-sessions/routes.ts';
import { deviceLoginRoutes } from './device-login/routes.ts';
import { doctorRoutes } from './doctor/routes.ts';
import type { AnyRoute } from './http/route.ts';
import { healthRoutes } from './http/routes.ts';
import { myActivityRoutes } from './my-account/activity-routes.ts';
import { myConnectionPageRoutes } from './my-account/connection-page-routes.ts';
import { myConnectionRoutes } from './my-account/connection-routes.ts';
import { myEmailPageRoutes } from './my-account/email-page-routes.ts';
import { myEmailRoutes } from './my-account/email-routes.ts';
import { myFactorRoutes } from './my-account/factor-routes.ts';
import { myGrantPageRoutes } from './my-account/grant-page-routes.ts';
import { myGrantRoutes } from './my-account/grant-routes.ts';
import { myAccountPageRoutes } from './my-account/page-routes.ts';
import { myPasskeyPageRoutes } from './my-account/passkey-page-routes.ts';
import { myPasskeyRoutes } from './my-account/passkey-routes.ts';
import { myPasswordRoutes } from './my-account/password-routes.ts';
import { myAccountRoutes } from './my-account/routes.ts';
import { myTokenPageRoutes } from './my-account/token-page-routes.ts';
import { myTwoStepPageRoutes } from './my-account/two-step-page-routes.ts';
import { oidcPersonRoutes } from './oidc/person-routes.ts';
import { oidcRoutes } from './oidc/routes.ts';
import { proxyAuthRoutes } from './proxy-auth/routes.ts';
import { sessionRoutes } from './sessions/routes.ts';
import type { Settings } from './settings/table.ts';
import { logOutPageRoutes } from './signin/log-out-page-routes.ts';
import { logOutRoutes } from './signin/log-out-routes.ts';
import { signinPageRoutes } from './signin/page-routes.ts';
import { passkeySignInRoutes } from './signin/passkey-routes.ts';
import { signinRoutes } from './signin/routes.ts';
import type { Provider } from './social/provider.ts';
import { createProvider } from './social/providers/create.ts';
import { socialRoutes } from './social/routes.ts';
import { visitorRoutes } from './visitor/routes.ts';
import { emailRoutes } from './welcome/email-routes.ts';
import { forgotRoutes } from './welcome/forgot-routes.ts';
import { welcomeRoutes } from './welcome/routes.ts';

const routesWith = (providers: readonly Provider[]): readonly AnyRoute[] => [
  ...healthRoutes,
  ...sessionRoutes,
  ...accountRoutes,
  ...myAccountRoutes,
  ...myGrantRoutes,
  ...myPasskeyRoutes,
  ...myPasskeyPageRoutes,
  ...myEmailRoutes,
  ...myFactorRoutes,
  ...myPasswordRoutes,
  ...myAccountPageRoutes,
  ...myEmailPageRoutes,
  ...myTwoStepPageRoutes,
  ...myTokenPageRoutes,
  ...myGrantPageRoutes,
  ...myActivityRoutes,
  ...signinPageRoutes,
  ...signinRoutes,
  ...passkeySignInRoutes,
  ...logOutRoutes,
  ...logOutPageRoutes,
  ...socialRoutes(providers),
  ...myConnectionRoutes(providers),
  ...myConnectionPageRoutes(providers),
  ...apiTokenRoutes,
  ...deviceLoginRoutes,
  ...welcomeRoutes,
  ...visitorRoutes,
  ...forgotRoutes,
  ...emailRoutes,
  ...proxyAuthRoutes,
  ...appSessionRoutes,
  ...oidcRoutes,
  ...oidcPersonRoutes,
  ...adminRoutes,
  ...consoleRoutes,
  ...aboutRoutes,
  ...doctorRoutes,
  ...fileRoutes,
];

/** Returns all routes of a service that has these identity providers. Includes no route of the query monitor. */
export const serviceRoutes = (providers: Settings['identityProviders']): readonly AnyRoute[] =>
  routesWith(providers.map(createProvider));
