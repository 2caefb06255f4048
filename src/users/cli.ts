import { type Command, Option } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { refusalWords } from '../command/refusal-words.ts';
import { textFields, textInstant, textTable } from '../command/table.ts';
import { AppError } from '../errors/app-error.ts';
import { changeBy } from '../events/change.ts';
import { addUser, requireFreeName } from './add-user.ts';
import { changePassword } from './change-password.ts';
import { changeUser } from './change-user.ts';
import { type FieldOptions, readFields, withFields } from './field-options.ts';
import { getUser } from './find-user.ts';
import { contextWords, newPasswordRefusal } from './password-rules.ts';
import { allUsers } from './queries.ts';
import { removeUser } from './remove-user.ts';
import { toUserJson } from './schemas.ts';
import { toUser, type User } from './user.ts';

interface SetOptions extends FieldOptions {
  active?: true;
  inactive?: true;
}

interface PasswordOptions {
  passwordStdin?: true;
}

function describeUser(user: User): string[] {
  return textFields({
    id: String(user.id),
    username: user.username,
    'full name': user.fullName || '-',
    role: user.role,
    active: user.deactivatedAt === null ? 'yes' : `no, since ${textInstant(user.deactivatedAt)}`,
    applications: user.allowedApps.join(', ') || '-',
    image: user.image || '-',
    email: user.email ?? '-',
    password: user.hasPassword ? 'yes' : 'no',
    created: textInstant(user.createdAt),
    'second factor': user.secondFactorAt === null ? 'no' : `yes, since ${textInstant(user.secondFactorAt)}`,
    'last login': textInstant(user.lastLoginAt),
  });
}

/** Returns the names of the given options. Their values are left out, because they can be personal data. */
const namesOf = (options: object): string[] => Object.keys(options).filter((name) => !['json', 'yes'].includes(name));

const answer = (user: User, sentence: string) => ({
  json: toUserJson(user),
  lines: [sentence, ...describeUser(user)],
});

/** Returns the message for a typed password that may not be used; undefined for an acceptable one. */
function complaintOf(password: string, words: readonly string[]): string | undefined {
  const refusal = newPasswordRefusal(password, words);
  return refusal && refusalWords(refusal);
}

async function add(services: CommandServices, name: string, options: SetOptions & PasswordOptions) {
  const { database, passwords, settings, actor } = services;
  const fields = await readFields(options, services);
  const username = await requireFreeName(database, name);
  const words = contextWords(username.name, settings);
  const password = await services.readPassword(options.passwordStdin === true, (typed) => complaintOf(typed, words));
  const user = await addUser(
    { ...changeBy(services, actor), passwords, application: settings },
    {
      ...fields,
      name,
      password,
      role: fields.role ?? 'normaluser',
      isInactive: options.inactive,
    },
  );
  // The reply leaves out `has_password`, because the program has just set a password.
  const { has_password, ...json } = toUserJson(user);
  return { ...answer(user, `Added ${user.username}.`), json };
}

async function list({ database }: CommandServices) {
  const users = (await allUsers.all(database, {})).map(toUser);
  const rows = users.map((user) => [
    String(user.id),
    user.username,
    user.fullName,
    user.role,
    user.deactivatedAt === null ? 'active' : 'inactive',
    user.allowedApps.join(','),
    textInstant(user.lastLoginAt),
  ]);
  const titles = ['ID', 'USERNAME', 'FULL NAME', 'ROLE', 'STATE', 'APPLICATIONS', 'LAST LOGIN'];
  return { json: users.map(toUserJson), lines: textTable(titles, rows, 'There are no users.') };
}

async function show({ database }: CommandServices, name: string) {
  const user = await getUser(database, name);
  return { json: toUserJson(user), lines: describeUser(user) };
}

async function set(services: CommandServices, name: string, options: SetOptions) {
  if (namesOf(options).length === 0) throw new AppError('MISSING_REQUIRED_FIELD');
  const isActive = options.inactive ? false : options.active;
  const change = { ...(await readFields(options, services)), isActive };
  const user = await changeUser(changeBy(services, services.actor), name, change);
  return answer(user, `Changed ${user.username}.`);
}

async function setPassword(services: CommandServices, name: string, options: PasswordOptions) {
  const { database, passwords, settings, actor } = services;
  const user = await getUser(database, name);
  const words = contextWords(user.username, settings);
  const password = await services.readPassword(options.passwordStdin === true, (typed) => complaintOf(typed, words));
  await changePassword({ database, passwords, application: settings, actor }, { user, password, way: 'command' });
  return {
    json: toUserJson(user),
    lines: [`Changed the password of ${user.username} and ended all sessions of that user.`],
  };
}

async function remove(services: CommandServices, name: string, options: { yes?: true }) {
  const { database, confirm, actor } = services;
  const user = await getUser(database, name);
  if (!options.yes) await confirm(`Remove ${user.username} with all sessions, tokens and links? There is no way back.`);
  await removeUser(changeBy(services, actor), user);
  return {
    json: toUserJson(user),
    lines: [`Removed ${user.username} with all sessions, tokens and links.`],
  };
}

/** Adds the command `authsvc user` and its subcommands. */
export function addUserCommands(program: Command, context: CommandContext): Command {
  const user = program.command('user').description('add, show, change and remove users; changes take effect at once');

  const adding = withFields(user.command('add <name>').description('add a user'), 'default: APP_NAME')
    .option('--inactive', 'the user may not sign in yet')
    .option('--password-stdin', 'read the password from standard input instead of asking for it');
  adding.action(context.action(adding, add));
  addExamples(adding, [
    'authsvc user add ada --full-name "Ada Lovelace"    asks for the password',
    'authsvc user add ada --app authsvc --app wiki',
    'pass show ada | authsvc user add ada --password-stdin --json',
  ]);

  const listing = user.command('list').description('list all users');
  listing.action(context.action(listing, list));

  const showing = user.command('show <name>').description('show one user');
  showing.action(context.action(showing, show));

  const setting = withFields(
    user.command('set <name>').description('change a user; fields that are not given stay as they are'),
    'replaces the whole list',
  )
    .addOption(new Option('--active', 'the user may sign in').conflicts('inactive'))
    .addOption(new Option('--inactive', 'the user may not sign in; ends all sessions'));
  setting.action(context.action(setting, set));
  addExamples(setting, [
    'authsvc user set ada --role superadmin',
    'authsvc user set ada --app authsvc --app wiki      may use these two and no other',
    'authsvc user set ada --inactive                    ends all sessions at once',
  ]);

  const password = user
    .command('password <name>')
    .description('set a new password; ends all sessions of the user')
    .option('--password-stdin', 'read the password from standard input instead of asking for it');
  password.action(context.action(password, setPassword));

  const removing = user
    .command('remove <name>')
    .description("remove a user and the user's sessions, tokens and provider links")
    .option('--yes', 'do not ask for confirmation; without a terminal, the command never asks');
  removing.action(context.action(removing, remove));
  return user;
}
