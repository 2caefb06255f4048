import { isHardToGuess, MIN_SECRET } from './parse.ts';
import { publicHost } from './passkey-party.ts';
import type { SettingKey, TableSettings } from './table.ts';

/** The key of a wrong setting, and what was expected. `example` replaces the example in the settings table. */
type Fault = [SettingKey, { expected: string; example?: string }];

const MIN_MAIN_SECRET = 16;

/** Returns whether a host is the domain itself or below it. */
export const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

function domainFault({ DOMAIN, BASE_URL }: TableSettings): string | undefined {
  if (DOMAIN === undefined || BASE_URL === undefined) return undefined;
  return isWithin(new URL(BASE_URL).hostname, DOMAIN) ? undefined : 'the host of BASE_URL or a parent domain of it';
}

function secretFault(secrets: readonly string[] | undefined): string | undefined {
  if (secrets === undefined) return 'a secret of your own';
  const areFine = secrets.every((secret) => isHardToGuess(secret, MIN_SECRET));
  return areFine ? undefined : `random text of at least ${MIN_SECRET} characters`;
}

/** Finds settings that make a deployed service unsafe, such as plain http, weak secrets or aids for developers. */
function deployedFaults(settings: TableSettings): Fault[] {
  const { BASE_URL, MAIN_SECRET_TOKEN, LOGIN_REDIRECT_URL, SESSION_SECRET_KEY, env, RATE_LIMITS } = settings;
  const isMainSecretWeak = MAIN_SECRET_TOKEN !== undefined && !isHardToGuess(MAIN_SECRET_TOKEN, MIN_MAIN_SECRET);
  const faults: [SettingKey, string | false | undefined, string?][] = [
    ['BASE_URL', !BASE_URL?.startsWith('https:') && 'an https address'],
    ['DOMAIN', domainFault(settings)],
    ['SESSION_SECRET_KEY', secretFault(SESSION_SECRET_KEY)],
    ['MAIN_SECRET_TOKEN', isMainSecretWeak && `random text of at least ${MIN_MAIN_SECRET} characters`],
    ['LOGIN_REDIRECT_URL', /^http:/i.test(LOGIN_REDIRECT_URL) && 'a path or an https address'],
    ['RATE_LIMITS', RATE_LIMITS === 'off' && 'on or a list of limits'],
    ['env', env === 'dev' && 'no value, because dev shows the queries of the database to anyone', 'production'],
  ];
  return faults.flatMap(([key, fault, example]): Fault[] =>
    fault
      ? [[key, { expected: `${fault}, since IS_DEPLOYED is true`, ...(example === undefined ? {} : { example }) }]]
      : [],
  );
}

/**
 * Finds settings that are each valid alone but not together. If a key has several faults, only the first one is
 * reported.
 */
export function crossChecks(settings: TableSettings): Fault[] {
  const faults = settings.IS_DEPLOYED ? deployedFaults(settings) : [];
  if (settings.RATE_LIMITS === 'off' && settings.env !== 'dev')
    faults.push(['RATE_LIMITS', { expected: 'on or a list of limits, unless env=dev' }]);
  if (settings.METRICS_PORT !== undefined && settings.METRICS_PORT > 0 && settings.METRICS_PORT === settings.PORT)
    faults.push(['METRICS_PORT', { expected: 'another port than PORT' }]);
  if (settings.SMTP_URL !== undefined && settings.MAIL_FROM === undefined)
    faults.push(['MAIL_FROM', { expected: 'the sender of mails, since SMTP_URL is set' }]);
  if (settings.MAIL_FROM !== undefined && settings.SMTP_URL === undefined)
    faults.push(['SMTP_URL', { expected: 'a mail server, since MAIL_FROM is set' }]);
  if (settings.SECOND_FACTOR !== 'optional' && !settings.AUTHSVC_TWO_FA_ENABLE)
    faults.push(['SECOND_FACTOR', { expected: 'optional, unless AUTHSVC_TWO_FA_ENABLE is true', example: 'optional' }]);
  if (settings.PASSKEY_RP_ID !== undefined && !isWithin(publicHost(settings), settings.PASSKEY_RP_ID))
    faults.push([
      'PASSKEY_RP_ID',
      { expected: `the host of BASE_URL, ${publicHost(settings)}, or a parent domain of it` },
    ]);
  if (settings.BRAND_LOGO_DARK !== undefined && settings.BRAND_LOGO === undefined)
    faults.push(['BRAND_LOGO', { expected: 'a picture, since BRAND_LOGO_DARK is set' }]);
  return faults;
}
