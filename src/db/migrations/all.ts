import type { Migration } from 'kysely';
import type { DatabaseKind } from '../handle.ts';
import { usersAndSessions } from './0001-users-and-sessions.ts';
import { rateLimits } from './0002-rate-limits.ts';
import { secondStepAndDevices } from './0003-second-step-and-devices.ts';
import { providerLinks } from './0004-provider-links.ts';
import { apiTokens } from './0005-api-tokens.ts';
import { deviceLogin } from './0006-device-login.ts';
import { changeFeed } from './0007-change-feed.ts';
import { approverToken } from './0008-approver-token.ts';
import { browsers } from './0009-browsers.ts';
import { expiryIndexes } from './0010-expiry-indexes.ts';
import { consumedStates } from './0011-consumed-states.ts';
import { factors } from './0012-factors.ts';
import { passwordVersion } from './0013-password-version.ts';
import { dataKeys } from './0014-data-keys.ts';
import { parentTokens } from './0015-parent-tokens.ts';
import { email } from './0016-email.ts';
import { authentication } from './0017-authentication.ts';
import { applications } from './0018-applications.ts';
import { auditEvents } from './0019-audit-events.ts';
import { welcomeLinks } from './0020-welcome-links.ts';
import { outbox } from './0021-outbox.ts';
import { passwordGuesses } from './0022-password-guesses.ts';
import { adminLists } from './0023-admin-lists.ts';
import { emailFeed } from './0024-email-feed.ts';
import { passkeys } from './0025-passkeys.ts';
import { ownSessions } from './0026-own-sessions.ts';
import { openidConnect } from './0027-openid-connect.ts';
import { pendingEmails } from './0028-pending-emails.ts';
import { consoleAtScale } from './0029-console-at-scale.ts';
import { webhooks } from './0030-webhooks.ts';
import { passkeyUserHandles } from './0031-passkey-handles.ts';
import { applicationSignIns } from './0032-application-sign-ins.ts';
import { lanes } from './0033-lanes.ts';
import { foldedSearch } from './0034-folded-search.ts';
import { userFacets } from './0035-user-facets.ts';
import { trigramCost } from './0036-trigram-cost.ts';
import { tokenLookups } from './0037-token-lookups.ts';
import { applicationVersions } from './0038-application-versions.ts';

/** Returns every migration under its permanent name, in the order in which they run. */
export const allMigrations = (kind: DatabaseKind): Record<string, Migration> => ({
  '0001-users-and-sessions': usersAndSessions(kind),
  '0002-rate-limits': rateLimits(kind),
  '0003-second-step-and-devices': secondStepAndDevices,
  '0004-provider-links': providerLinks,
  '0005-api-tokens': apiTokens(kind),
  '0006-device-login': deviceLogin(kind),
  '0007-change-feed': changeFeed(kind),
  '0008-approver-token': approverToken,
  '0009-browsers': browsers,
  '0010-expiry-indexes': expiryIndexes,
  '0011-spent-starts': consumedStates,
  '0012-factors': factors(kind),
  '0013-password-version': passwordVersion,
  '0014-data-keys': dataKeys,
  '0015-parent-tokens': parentTokens,
  '0016-email': email,
  '0017-authentication': authentication(kind),
  '0018-applications': applications(kind),
  '0019-audit-events': auditEvents(kind),
  '0020-welcome-links': welcomeLinks,
  '0021-outbox': outbox,
  '0022-password-guesses': passwordGuesses,
  '0023-admin-lists': adminLists(kind),
  '0024-email-feed': emailFeed(kind),
  '0025-passkeys': passkeys,
  '0026-own-sessions': ownSessions(kind),
  '0027-openid-connect': openidConnect(kind),
  '0028-pending-emails': pendingEmails,
  '0029-console-at-scale': consoleAtScale(kind),
  '0030-webhooks': webhooks(kind),
  '0031-passkey-handles': passkeyUserHandles,
  '0032-application-sign-ins': applicationSignIns(kind),
  '0033-lanes': lanes,
  '0034-folded-search': foldedSearch(kind),
  '0035-user-facets': userFacets(kind),
  '0036-trigram-cost': trigramCost(kind),
  '0037-token-lookups': tokenLookups,
  '0038-application-versions': applicationVersions(kind),
});
