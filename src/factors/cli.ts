import type { Command } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { drawQrCode } from '../command/qr-code.ts';
import { textFields, textInstant, textTable } from '../command/table.ts';
import { AppError } from '../errors/app-error.ts';
import { changeBy } from '../events/change.ts';
import { newTotpSecret, parseTotpSecret, totpUrl } from '../lib/totp.ts';
import { shownName } from '../settings/application-name.ts';
import { getUser } from '../users/find-user.ts';
import { listUsersWithFactors } from './list-users.ts';
import { countRecoveryCodes, trustsOfUser } from './queries.ts';
import { knownRecoveryKeys } from './recovery-codes.ts';
import { disableSecondFactor, enableSecondFactor, endTrust } from './second-factor.ts';

function readSecret(given: string | undefined): string {
  const secret = given === undefined ? newTotpSecret() : parseTotpSecret(given);
  if (!secret) throw new AppError('FIELD_INVALID', { field: 'secret' });
  return secret;
}

async function enable(services: CommandServices, name: string, options: { secret?: string }) {
  const { database, settings, actor, warn } = services;
  const secret = readSecret(options.secret);
  const user = await getUser(database, name);
  const url = totpUrl(secret, shownName(settings), user.username);
  const dataSealer = await services.dataSealer();
  const codes = await enableSecondFactor({ ...changeBy(services, actor), dataSealer }, user, secret);
  if (!settings.AUTHSVC_TWO_FA_ENABLE) warn('The second step is off until AUTHSVC_TWO_FA_ENABLE is true.');
  const lines = [
    ...(user.secondFactorAt === null
      ? []
      : ['The former recovery codes no longer work. The former app works only if it has the same secret.']),
    `${user.username} has a second factor now. Scan this with an authenticator app:`,
    '',
    ...drawQrCode(url, { isColoured: process.stdout.isTTY && process.stdout.hasColors() }),
    '',
    ...textFields({ secret, address: url }),
    '',
    'Recovery codes, shown only now. Each works for one sign-in:',
    ...codes.map((code) => `  ${code}`),
  ];
  return {
    json: { username: user.username, secret, otpauth_url: url, recovery_codes: codes },
    lines,
  };
}

async function disable({ database, actor }: CommandServices, name: string) {
  const user = await getUser(database, name);
  await disableSecondFactor({ database, actor }, user);
  return {
    json: { username: user.username, two_factor_enabled: false },
    lines: [
      `${user.username} no longer has a second factor. If SECOND_FACTOR requires one, the user sets one up at the next sign-in.`,
    ],
  };
}

async function show({ database, clock, readDataSealer }: CommandServices, name: string) {
  const user = await getUser(database, name);
  const trusts = await trustsOfUser.all(database, { userId: user.id, now: clock.now() });
  const keys = await knownRecoveryKeys(database, await readDataSealer());
  const left = (await countRecoveryCodes.first(database, { userId: user.id, ...keys }))?.count ?? 0;
  const isOn = user.secondFactorAt !== null;
  const json = {
    username: user.username,
    two_factor_enabled: isOn,
    recovery_codes_left: left,
    trusted_devices: trusts.map((trust) => ({
      user_agent: trust.user_agent,
      created_at: new Date(trust.created_at).toISOString(),
      expires_at: new Date(trust.expires_at).toISOString(),
    })),
  };
  const rows = trusts.map((trust) => [textInstant(trust.created_at), textInstant(trust.expires_at), trust.user_agent]);
  const facts = textFields({
    username: user.username,
    'second factor': isOn ? `since ${textInstant(user.secondFactorAt)}` : 'no',
    'recovery codes left': String(left),
  });
  return {
    json,
    lines: [...facts, '', ...textTable(['TRUSTED SINCE', 'UNTIL', 'BROWSER'], rows, 'No browser is trusted.')],
  };
}

async function list({ database, clock, readDataSealer }: CommandServices, { unreadable }: { unreadable?: true }) {
  const users = await listUsersWithFactors(database, await readDataSealer(), clock.now());
  const listed = unreadable ? users.filter((user) => !user.isReadable) : users;
  const json = listed.map((user) => ({
    username: user.username,
    enabled_at: new Date(user.enabledAt).toISOString(),
    readable: user.isReadable,
    recovery_codes_left: user.recoveryCodesLeft,
    trusted_devices: user.trustedBrowsers,
  }));
  const rows = listed.map((user) => [
    user.username,
    textInstant(user.enabledAt),
    user.isReadable ? 'yes' : 'no',
    String(user.recoveryCodesLeft),
    String(user.trustedBrowsers),
  ]);
  const titles = ['USERNAME', 'SINCE', 'READABLE', 'RECOVERY CODES', 'TRUSTED BROWSERS'];
  const none = unreadable ? 'Every second factor can be read.' : 'No user has a second factor.';
  return { json, lines: textTable(titles, rows, none) };
}

async function untrust({ database, actor }: CommandServices, name: string) {
  const user = await getUser(database, name);
  const ended = await endTrust({ database, actor }, user);
  return {
    json: { username: user.username, ended },
    lines: [`Browsers no longer trusted: ${ended}.`],
  };
}

/** Adds the commands `authsvc 2fa …`. */
export function addSecondFactorCommands(program: Command, context: CommandContext): void {
  const group = program.command('2fa').description('enable, show and remove second factors of users');
  const enabling = group
    .command('enable <name>')
    .description(
      'give a user a second factor; prints secret, QR code and recovery codes once, and stops trusting all browsers',
    )
    .option('--secret <base32>', 'use this secret instead of a new one');
  addExamples(enabling, [
    'authsvc 2fa enable ada',
    'authsvc 2fa enable ada --secret JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP    the secret of another service',
  ]);
  enabling.action(context.action(enabling, enable));
  const disabling = group
    .command('disable <name>')
    .description('remove the second factor of a user, with recovery codes and trusted browsers');
  disabling.action(context.action(disabling, disable));
  const listing = group
    .command('list')
    .description('list the users who have a second factor, and whether SESSION_SECRET_KEY can decrypt it')
    .option('--unreadable', 'only users whose second factor cannot be decrypted, so that their codes are not accepted');
  listing.action(context.action(listing, list));
  const showing = group
    .command('show <name>')
    .description(
      'show whether a user has a second factor, which browsers are trusted, and how many recovery codes are left',
    );
  showing.action(context.action(showing, show));
  const untrusting = group.command('untrust <name>').description('stop trusting all browsers of a user');
  untrusting.action(context.action(untrusting, untrust));
}
