import { type Command, Option } from 'commander';
import { DEFAULT_LIFE_DAYS, type ProfileScope, profileScopes } from '../api-tokens/token.ts';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { textFields, textTable } from '../command/table.ts';
import { changeBy } from '../events/change.ts';
import { asTyped } from '../settings/as-typed.ts';
import { warnOfUnknownApps } from '../users/field-options.ts';
import { parseAppNames } from '../users/fields.ts';
import { addProfile } from './add-profile.ts';
import { type Profile, toProfile, toProfileJson } from './profile.ts';
import { allProfiles } from './queries.ts';
import { setProfileState } from './set-profile-state.ts';

interface AddOptions {
  key?: string;
  scope: ProfileScope;
  app?: string[];
  expiresInDays: string;
}

const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** Reads a whole number. Any other text becomes NaN, which the check of the lifetime refuses. */
const parseDays = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);

const describe = (profile: Profile): string[] =>
  textFields({
    id: String(profile.id),
    key: profile.key,
    name: profile.name,
    scope: profile.scope,
    applications: profile.allowedApps.join(', '),
    'token life': profile.expiresInDays === 1 ? '1 day' : `${profile.expiresInDays} days`,
  });

async function add(services: CommandServices, name: string, options: AddOptions) {
  const { settings, actor } = services;
  const apps = parseAppNames(options.app) ?? [];
  const expiresInDays = parseDays(options.expiresInDays);
  await warnOfUnknownApps(apps, services);
  const profile = await addProfile(changeBy(services, actor), {
    name,
    key: options.key,
    scope: options.scope,
    apps: apps.length > 0 ? apps : [settings.APP_NAME],
    expiresInDays,
  });
  return {
    json: toProfileJson(profile),
    lines: [
      `Added ${profile.name}. To sign in with it:`,
      `  ${asTyped(`login --server ${settings.BASE_URL ?? `http://localhost:${settings.PORT}`} --profile ${profile.key}`)}`,
      '',
      ...describe(profile),
    ],
  };
}

async function list({ database }: CommandServices) {
  const profiles = (await allProfiles.all(database, {})).map(toProfile);
  const rows = profiles.map((profile) => [
    String(profile.id),
    profile.key,
    profile.name,
    profile.scope,
    profile.allowedApps.join(','),
    String(profile.expiresInDays),
    profile.disabledAt === null ? 'active' : 'disabled',
  ]);
  const titles = ['ID', 'KEY', 'NAME', 'SCOPE', 'APPLICATIONS', 'DAYS', 'STATE'];
  return { json: profiles.map(toProfileJson), lines: textTable(titles, rows, 'There are no profiles.') };
}

async function disable(services: CommandServices, key: string) {
  const profile = await setProfileState(changeBy(services, services.actor), key, false);
  const lines = [
    `${profile.name} is disabled. Waiting requests have ended. Tokens that programs already have stay valid.`,
  ];
  return { json: toProfileJson(profile), lines };
}

/** Adds the `authsvc profile …` commands. */
export function addProfileCommands(program: Command, context: CommandContext): void {
  const profile = program
    .command('profile')
    .description(
      'manage profiles, which define the tokens that programs get from a device login; changes take effect at once',
    );
  const adding = profile
    .command('add <name>')
    .description('add a profile; without --app its tokens are for APP_NAME')
    .option('--key <key>', 'key that programs send to name the profile, at least 6 characters; generated if omitted')
    .addOption(
      new Option('--scope <scope>', "scope of the profile's tokens").choices(profileScopes).default('read-only'),
    )
    .option('--app <name>', "application that the profile's tokens are for (may be repeated)", collect)
    .option('--expires-in-days <days>', "lifetime of the profile's tokens in days", String(DEFAULT_LIFE_DAYS));
  adding.action(context.action(adding, add));
  addExamples(adding, [
    'authsvc profile add "Backups" --key backup-tools --scope write',
    'authsvc login --server https://auth.example.com --profile backup-tools    then signs in with it',
  ]);
  const listing = profile.command('list').description('list all profiles');
  listing.action(context.action(listing, list));
  const disabling = profile
    .command('disable <key>')
    .description('disable a profile, so that no program can sign in with it');
  disabling.action(context.action(disabling, disable));
}
