import type { Command } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { textInstant } from '../command/table.ts';
import { changeBy } from '../events/change.ts';
import { publicUrl } from '../settings/public-url.ts';
import { type FieldOptions, readFields, withFields } from '../users/field-options.ts';
import { getUser } from '../users/find-user.ts';
import { inviteUser, linkHours, type OfferedLink, offerReset, parseHours } from './offer-link.ts';

interface InviteOptions extends FieldOptions {
  hours: string;
  send?: true;
  inactive?: true;
}

interface ResetOptions {
  hours: string;
  send?: true;
  withoutSecondFactor?: true;
}

function answer({ username, link, expiresAt }: OfferedLink) {
  const until = textInstant(expiresAt);
  return {
    json: { username, link, expires_at: new Date(expiresAt).toISOString() },
    lines:
      link === null
        ? [`A link is on its way to ${username}. It works once, until ${until}.`]
        : [`${username} can choose a password once, until ${until}:`, '', link, ''],
  };
}

const needsOf = (services: CommandServices) => {
  const { settings, outbox, actor } = services;
  return { ...changeBy(services, actor), settings, outbox, baseUrl: publicUrl(settings) };
};

async function invite(services: CommandServices, name: string, options: InviteOptions) {
  const { warn } = services;
  const hours = parseHours(options.hours);
  const fields = await readFields(options, services);
  const user = { ...fields, name, role: fields.role ?? 'normaluser', isInactive: options.inactive };
  const offered = await inviteUser(needsOf(services), { user, hours, isSent: options.send === true });
  const areIgnored = !offered.isNew && Object.values({ ...fields, inactive: options.inactive }).some(Boolean);
  if (areIgnored)
    warn(`${offered.username} already exists and was not changed. To change a user, run authsvc user set.`);
  return answer(offered);
}

async function reset(services: CommandServices, name: string, options: ResetOptions) {
  const wish = {
    user: await getUser(services.database, name),
    hours: parseHours(options.hours),
    removesFactor: options.withoutSecondFactor === true,
    isSent: options.send === true,
  };
  return answer(await offerReset(needsOf(services), wish));
}

/** Adds `authsvc user invite` and `authsvc user reset` to the command `authsvc user`. */
export function addWelcomeCommands(user: Command, context: CommandContext): void {
  const inviting = withFields(
    user
      .command('invite <name>')
      .description('add a user without a password, and print a link with which the user chooses one'),
    'default: APP_NAME',
  )
    .option('--inactive', 'the user may not sign in yet')
    .option('--hours <number>', 'how many hours the link is valid, at most 720', String(linkHours.invite))
    .option('--send', 'mail the link instead of printing it; needs SMTP_URL');
  inviting.action(context.action(inviting, invite));
  addExamples(inviting, [
    'authsvc user invite ada --full-name "Ada Lovelace"',
    'authsvc user invite ada                               prints a new link; the former one stops working',
  ]);

  const resetting = user
    .command('reset <name>')
    .description('print a link with which a user chooses a new password')
    .option('--hours <number>', 'how many hours the link is valid, at most 720', String(linkHours.reset))
    .option('--send', 'mail the link instead of printing it; needs SMTP_URL')
    .option('--without-second-factor', 'using the link also removes the second factor');
  resetting.action(context.action(resetting, reset));
}
