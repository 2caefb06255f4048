import { type Command, Option } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { textFields, textInstant, textTable } from '../command/table.ts';
import { AppError } from '../errors/app-error.ts';
import { changeBy } from '../events/change.ts';
import { isoOrNull } from '../lib/instant.ts';
import { addApplication, type WithSecret } from './add-application.ts';
import { type Application, toApplication } from './application.ts';
import { changeApplication } from './change-application.ts';
import type { ApplicationFields } from './fields.ts';
import { getApplication } from './find-application.ts';
import { allApplications } from './queries.ts';
import { removeApplication } from './remove-application.ts';
import { DEFAULT_KEEP_HOURS, rotateSecret } from './rotate-secret.ts';
import { toCommandJson } from './schemas.ts';

interface FieldOptions {
  url?: string[];
  redirectUri?: string[];
  postLogoutUri?: string[];
  backchannelLogoutUri?: string;
  role?: string[];
  icon?: string;
  public?: true;
  confidential?: true;
  thirdParty?: true;
  firstParty?: true;
  device?: boolean;
  idTokenAlg?: string;
  withoutPkce?: true;
  withPkce?: true;
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** Reads a whole number. Any other text becomes NaN, which the rule refuses. */
const parseHours = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);

const listed = (entries: readonly string[], none = '-'): string => entries.join(', ') || none;

function describe(application: Application): string[] {
  return textFields({
    key: application.key,
    name: application.name,
    state: application.disabledAt === null ? 'active' : `disabled since ${textInstant(application.disabledAt)}`,
    urls: listed(application.urls),
    roles: listed(application.roles, 'any'),
    kind: `${application.isPublic ? 'public' : 'confidential'}, ${application.isThirdParty ? 'third-party' : 'our own'}`,
    'redirect URIs': listed(application.redirectUris),
    'post-logout URIs': listed(application.postLogoutRedirectUris),
    'back-channel logout': application.backchannelLogoutUri ?? '-',
    'device flow': application.deviceFlow ? 'on' : 'off',
    'ID tokens': application.idTokenAlg,
    PKCE: application.pkceRequired ? 'required' : 'not required',
    icon: application.icon ?? '-',
    created: textInstant(application.createdAt),
  });
}

/** Returns the value of a pair of switches, or undefined if neither was given. */
const either = (yes: true | undefined, no: true | undefined): boolean | undefined => (no ? false : yes);

const readFields = (options: FieldOptions): ApplicationFields => ({
  urls: options.url,
  redirectUris: options.redirectUri,
  postLogoutRedirectUris: options.postLogoutUri,
  backchannelLogoutUri: options.backchannelLogoutUri,
  roles: options.role,
  icon: options.icon,
  isPublic: either(options.public, options.confidential),
  isThirdParty: either(options.thirdParty, options.firstParty),
  deviceFlow: options.device,
  idTokenAlg: options.idTokenAlg,
  pkceRequired: either(options.withPkce, options.withoutPkce),
});

const answer = ({ application, secret }: WithSecret, sentence: string) => ({
  json: { ...toCommandJson(application), ...(secret === undefined ? {} : { secret }) },
  lines: [
    sentence,
    ...describe(application),
    ...(secret === undefined ? [] : ['', `Secret, shown only now: ${secret}`]),
  ],
});

async function add(services: CommandServices, key: string, { name, ...options }: FieldOptions & { name: string }) {
  const change = changeBy(services, services.actor);
  const added = await addApplication(change, services.settings, { ...readFields(options), key, name });
  return answer(added, `Added ${added.application.name}.`);
}

async function set(services: CommandServices, key: string, { name, ...options }: FieldOptions & { name?: string }) {
  const fields = { ...readFields(options), name };
  if (Object.values(fields).every((value) => value === undefined)) throw new AppError('MISSING_REQUIRED_FIELD');
  const change = changeBy(services, services.actor);
  const changed = await changeApplication(change, services.settings, key, fields);
  return answer(changed, `Changed ${changed.application.name}.`);
}

const setState = (isActive: boolean) => async (services: CommandServices, key: string) => {
  const changed = await changeApplication(changeBy(services, services.actor), services.settings, key, { isActive });
  return answer(changed, `${changed.application.name} is ${isActive ? 'active' : 'disabled'}.`);
};

async function list({ database }: CommandServices) {
  const applications = (await allApplications.all(database, {})).map(toApplication);
  const rows = applications.map(({ key, name, urls, roles, disabledAt }) => [
    key,
    name,
    disabledAt === null ? 'active' : 'disabled',
    roles.join(',') || 'any',
    urls.join(' '),
  ]);
  return {
    json: applications.map(toCommandJson),
    lines: textTable(['KEY', 'NAME', 'STATE', 'ROLES', 'URLS'], rows, 'There are no applications.'),
  };
}

async function show({ database }: CommandServices, key: string) {
  const application = await getApplication(database, key);
  return { json: toCommandJson(application), lines: describe(application) };
}

async function remove(services: CommandServices, given: string, options: { yes?: true }) {
  const { name } = await getApplication(services.database, given);
  if (!options.yes) await services.confirm(`Remove the application ${name}? Its secret stops working for good.`);
  const key = await removeApplication(services, given);
  return { json: { key }, lines: [`Removed ${key}.`] };
}

async function rotate(services: CommandServices, given: string, { keepOldHours }: { keepOldHours: string }) {
  const change = changeBy(services, services.actor);
  const { key, secret, oldSecretExpiresAt: until } = await rotateSecret(change, given, parseHours(keepOldHours));
  const old = until === null ? 'The old secret no longer works.' : `The old secret works until ${textInstant(until)}.`;
  return {
    json: { key, secret, old_secret_expires_at: isoOrNull(until) },
    lines: [`${key} has a new secret. ${old}`, '', `Secret, shown only now: ${secret}`],
  };
}

/** `several`: help texts that say what happens if a list option is given several times or not at all. */
const withFields = (command: Command, several: { list: string; roles: string }): Command =>
  command
    .option('--url <url>', `URL of the application; only its origin is compared (${several.list})`, collect)
    .option(
      '--redirect-uri <uri>',
      `URI to which OpenID Connect may redirect after a sign-in (${several.list})`,
      collect,
    )
    .option(
      '--post-logout-uri <uri>',
      `URI to which OpenID Connect may redirect after a sign-out (${several.list})`,
      collect,
    )
    .option(
      '--backchannel-logout-uri <uri>',
      'URI that is notified when a session ends (OpenID Connect Back-Channel Logout)',
    )
    .option('--role <role>', `role whose users may use the application (${several.roles})`, collect)
    .option('--icon <url>', "URL of the application's icon")
    .addOption(
      new Option('--public', 'the application cannot keep a secret, so it gets none').conflicts('confidential'),
    )
    .addOption(new Option('--third-party', 'the application belongs to a third party').conflicts('firstParty'))
    .option('--device', 'people may sign in to the application with the device flow (RFC 8628)')
    .option('--id-token-alg <alg>', "algorithm that signs the application's ID tokens: RS256 or ES256")
    .addOption(
      new Option(
        '--without-pkce',
        'do not require PKCE, because the application does not support it; only for confidential applications',
      ).conflicts('withPkce'),
    );

function addChanging(app: Command, context: CommandContext): void {
  const adding = withFields(
    app
      .command('add <key>')
      .description('register an application and print its secret')
      .requiredOption('--name <name>', 'name that people see'),
    { list: 'may be repeated', roles: 'may be repeated; default: all roles' },
  );
  adding.action(context.action(adding, add));
  addExamples(adding, [
    'authsvc app add portal --name Portal --url https://portal.example.com',
    'authsvc app add wiki --name Wiki --url https://wiki.example.com --role editor --role superadmin',
  ]);
  const setting = withFields(
    app
      .command('set <key>')
      .description('change an application; fields that are not given stay as they are')
      .option('--name <name>', 'name that people see'),
    { list: 'may be repeated; replaces the whole list', roles: 'may be repeated; replaces the whole list' },
  )
    .addOption(new Option('--confidential', 'undo --public; prints a secret'))
    .addOption(new Option('--first-party', 'undo --third-party'))
    .option('--no-device', 'undo --device')
    .addOption(new Option('--with-pkce', 'undo --without-pkce'));
  setting.action(context.action(setting, set));
  addExamples(setting, [
    'authsvc app set portal --url https://portal.example.com --url https://portal.example.org    replaces the list',
    'authsvc app set wiki --role ""                                                             empties it',
  ]);
}

/** Adds the `authsvc app …` commands. */
export function addApplicationCommands(program: Command, context: CommandContext): void {
  const app = program
    .command('app')
    .description('register the applications that use this service; changes take effect at once');
  addChanging(app, context);
  const listing = app.command('list').description('list all applications');
  listing.action(context.action(listing, list));
  const showing = app.command('show <key>').description('show one application');
  showing.action(context.action(showing, show));
  const disabling = app.command('disable <key>').description('disable an application, so that no one can use it');
  disabling.action(context.action(disabling, setState(false)));
  const enabling = app.command('enable <key>').description('enable a disabled application');
  enabling.action(context.action(enabling, setState(true)));
  const removing = app
    .command('remove <key>')
    .description('remove an application')
    .option('--yes', 'do not ask for confirmation; without a terminal, the command never asks');
  removing.action(context.action(removing, remove));
  const rotating = app
    .command('rotate-secret <key>')
    .description('create a new secret; the old one still works for some hours')
    .option(
      '--keep-old-hours <hours>',
      'for how many hours the old secret still works, 0 to 720',
      String(DEFAULT_KEEP_HOURS),
    );
  rotating.action(context.action(rotating, rotate));
}
