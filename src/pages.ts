import { errorListPage } from './about/page/error-list/page.ts';
import { infoPage } from './about/page/info/page.ts';
import { testPage } from './about/page/test/page.ts';
import { accountsPage } from './accounts/page/accounts/page.ts';
import { consoleApplicationPage } from './admin/page/console-application/page.ts';
import { consoleListPage } from './admin/page/console-list/page.ts';
import { consoleOverviewPage } from './admin/page/console-overview/page.ts';
import { consoleUserPage } from './admin/page/console-user/page.ts';
import { consoleWebhookPage } from './admin/page/console-webhook/page.ts';
import { devicePage } from './device-login/page/device/page.ts';
import { deviceCodePage } from './device-login/page/device-code/page.ts';
import { queryMonitorPage } from './diagnostics/page/query-monitor/page.ts';
import { errorPage } from './http/page/error/page.ts';
import { accountPage } from './my-account/page/account/page.ts';
import { consentPage } from './oidc/page/consent/page.ts';
import { deviceGrantPage } from './oidc/page/device-grant/page.ts';
import { formPostPage } from './oidc/page/form-post/page.ts';
import { noAccessPage } from './oidc/page/no-access/page.ts';
import { refusedPage } from './proxy-auth/page/refused/page.ts';
import { enrolPage } from './signin/page/enrol/page.ts';
import { loginPage } from './signin/page/login/page.ts';
import { logoutPage } from './signin/page/logout/page.ts';
import { twoFactorPage } from './signin/page/two-factor/page.ts';
import type { Page } from './ui/define-page.ts';
import { appsPage } from './visitor/page/apps/page.ts';
import { emailPage } from './welcome/page/email/page.ts';
import { forgotPage } from './welcome/page/forgot/page.ts';
import { welcomePage } from './welcome/page/welcome/page.ts';

/** Every page of the service. At start, the operator's templates are checked against each of these pages. */
export const allPages: readonly Page[] = [
  loginPage,
  twoFactorPage,
  enrolPage,
  welcomePage,
  logoutPage,
  appsPage,
  forgotPage,
  emailPage,
  accountPage,
  refusedPage,
  consentPage,
  noAccessPage,
  formPostPage,
  deviceGrantPage,
  testPage,
  accountsPage,
  devicePage,
  deviceCodePage,
  errorPage,
  errorListPage,
  infoPage,
  consoleOverviewPage,
  consoleListPage,
  consoleUserPage,
  consoleApplicationPage,
  consoleWebhookPage,
  queryMonitorPage,
];
