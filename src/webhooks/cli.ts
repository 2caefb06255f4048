import { type Command, Option } from 'commander';
import type { CommandContext, CommandServices } from '../command/context.ts';
import { addExamples } from '../command/examples.ts';
import { REFUSED } from '../command/refusal-words.ts';
import { textFields, textInstant, textTable } from '../command/table.ts';
import { AppError } from '../errors/app-error.ts';
import { changeBy } from '../events/change.ts';
import { isoOrNull } from '../lib/instant.ts';
import { SharedWork } from '../lib/shared-work.ts';
import { addWebhook } from './add-webhook.ts';
import { changeWebhook } from './change-webhook.ts';
import { getWebhookRow } from './find-webhook.ts';
import { listDeliveries } from './list-deliveries.ts';
import { allWebhooks } from './queries.ts';
import { removeWebhook } from './remove-webhook.ts';
import { retryDeliveries } from './retry-deliveries.ts';
import { DEFAULT_KEEP_HOURS, rotateWebhookSecret } from './rotate-webhook-secret.ts';
import {
  type DeliveryStatus,
  deliveryStates,
  toDeliveryJson,
  toWebhook,
  toWebhookJson,
  type Webhook,
} from './webhook.ts';

interface FieldOptions {
  event?: string[];
  app?: string;
  description?: string;
}

const MAX_LIMIT = 10_000;

/** What each error of an attempt means, in the words of docs/webhooks.md. */
const MEANINGS: Readonly<Record<string, string>> = {
  timeout: 'The receiver did not answer within ten seconds.',
  refused: 'No connection could be made, or the connection was cut.',
  dns: 'The name of the host cannot be resolved.',
  tls: 'The certificate is not valid, or the TLS handshake failed.',
  address_not_allowed:
    'The service may not send requests to the address of this host. For receivers in your own network, set WEBHOOK_PRIVATE_NETWORKS=on.',
  redirect: 'The answer is a redirect, which is not followed.',
  status: 'A receiver must answer with a status of 2xx.',
};

const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** Parses a whole number. Any other text becomes NaN, which `rotateWebhookSecret` refuses. */
const parseHours = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);

function describe(webhook: Webhook): string[] {
  return textFields({
    id: webhook.key,
    url: webhook.url,
    events: webhook.events.join(', '),
    application: webhook.app ?? 'any',
    description: webhook.description || '-',
    state: webhook.disabledAt === null ? 'active' : `disabled since ${textInstant(webhook.disabledAt)}`,
    created: textInstant(webhook.createdAt),
    'last delivered': textInstant(webhook.lastDeliveredAt),
    'failing since': textInstant(webhook.failingSince),
  });
}

const answer = (webhook: Webhook, sentence: string, secret?: string) => ({
  json: { ...toWebhookJson(webhook), ...(secret === undefined ? {} : { secret }) },
  lines: [sentence, ...describe(webhook), ...(secret === undefined ? [] : ['', `Secret, shown only now: ${secret}`])],
});

const sealingChange = async (services: CommandServices) => ({
  ...changeBy(services, services.actor),
  dataSealer: await services.dataSealer(),
});

const readFields = ({ event: events, app, description }: FieldOptions) => ({ events, app, description });

async function add(services: CommandServices, url: string, options: FieldOptions & { event: string[] }) {
  const change = await sealingChange(services);
  const fields = { ...readFields(options), url, events: options.event };
  const { webhook, secret } = await addWebhook(change, services.settings, fields);
  return answer(webhook, `Added the webhook ${webhook.key}.`, secret);
}

async function set(services: CommandServices, key: string, { url, ...options }: FieldOptions & { url?: string }) {
  const fields = { ...readFields(options), url };
  if (Object.values(fields).every((value) => value === undefined)) throw new AppError('MISSING_REQUIRED_FIELD');
  const webhook = await changeWebhook(changeBy(services, services.actor), services.settings, key, fields);
  return answer(webhook, `Changed the webhook ${key}.`);
}

const setState = (isActive: boolean) => async (services: CommandServices, key: string) => {
  const webhook = await changeWebhook(changeBy(services, services.actor), services.settings, key, { isActive });
  return answer(webhook, `The webhook ${key} is ${isActive ? 'active' : 'disabled'}.`);
};

async function list({ database }: CommandServices) {
  const webhooks = (await allWebhooks.all(database, {})).map(toWebhook);
  const rows = webhooks.map(({ key, url, events, app, disabledAt, failingSince }) => [
    key,
    disabledAt === null ? 'active' : 'disabled',
    textInstant(failingSince),
    app ?? 'any',
    events.join(','),
    url,
  ]);
  return {
    json: webhooks.map(toWebhookJson),
    lines: textTable(['ID', 'STATE', 'FAILING SINCE', 'APPLICATION', 'EVENTS', 'URL'], rows, 'There are no webhooks.'),
  };
}

async function show({ database }: CommandServices, key: string) {
  const webhook = toWebhook(await getWebhookRow(database, key));
  return { json: toWebhookJson(webhook), lines: describe(webhook) };
}

async function remove(services: CommandServices, key: string, options: { yes?: true }) {
  const { url } = await getWebhookRow(services.database, key);
  if (!options.yes) await services.confirm(`Remove the webhook to ${url}? Its waiting deliveries are then not sent.`);
  await removeWebhook(changeBy(services, services.actor), key);
  return { json: { id: key }, lines: [`Removed ${key}.`] };
}

async function rotate(services: CommandServices, key: string, { keepOldHours }: { keepOldHours: string }) {
  const change = await sealingChange(services);
  const { secret, oldSecretExpiresAt: until } = await rotateWebhookSecret(change, key, parseHours(keepOldHours));
  const old =
    until === null
      ? 'The old secret no longer works.'
      : `Messages are also signed with the old secret until ${textInstant(until)}.`;
  return {
    json: { id: key, secret, old_secret_expires_at: isoOrNull(until) },
    lines: [`${key} has a new secret. ${old}`, '', `Secret, shown only now: ${secret}`],
  };
}

async function test(services: CommandServices, key: string) {
  const { sendTest } = await import('./send-test.ts');
  const delivery = await sendTest(
    { ...(await sealingChange(services)), lookUps: new SharedWork() },
    services.settings,
    key,
  );
  const isDelivered = delivery.status === 'delivered';
  const status = delivery.responseStatus === null ? '' : ` ${delivery.responseStatus}`;
  const json = toDeliveryJson(delivery);
  if (isDelivered) return { json, lines: [`Delivered:${status}.`] };
  const { error } = delivery;
  services.warn(`Not delivered: ${error}${status}. ${MEANINGS[error ?? ''] ?? ''}`.trim());
  return { json, lines: [], exitCode: REFUSED };
}

interface DeliveryOptions {
  status?: DeliveryStatus;
  limit: string;
}

async function deliveries({ database }: CommandServices, key: string, { status, limit: text }: DeliveryOptions) {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > MAX_LIMIT)
    throw new AppError('FIELD_INVALID', { field: 'limit', maximum: MAX_LIMIT });
  const found = await listDeliveries(database, key, { status, after: undefined, limit });
  const rows = found.map((delivery) => [
    delivery.id,
    textInstant(delivery.createdAt),
    delivery.event,
    delivery.status,
    String(delivery.attempts),
    textInstant(delivery.nextAttemptAt),
    [delivery.error ?? [], delivery.responseStatus ?? []].flat().join(' ') || '-',
  ]);
  return {
    json: found.map(toDeliveryJson),
    lines: textTable(
      ['ID', 'TIME', 'EVENT', 'STATUS', 'ATTEMPTS', 'NEXT ATTEMPT', 'ANSWER'],
      rows,
      'There are no deliveries.',
    ),
  };
}

async function retry(services: CommandServices, key: string, message: string | undefined) {
  const { database, clock, outbox } = services;
  const retried = await retryDeliveries({ database, now: clock.now(), outbox }, key, message);
  return { json: { id: key, retried }, lines: [`Deliveries queued again: ${retried}.`] };
}

const withFields = (command: Command): Command =>
  command
    .option('--app <key>', 'send only events about this application and about the users who may use it')
    .option('--description <text>', 'what the webhook is for');

const EVENT = [
  '--event <event>',
  'name of an event (docs/webhooks.md lists them), or "*" for all; may be repeated',
] as const;

function addChanging(webhook: Command, context: CommandContext): void {
  const adding = withFields(
    webhook
      .command('add <url>')
      .description('send events to a URL, and print the secret that signs them')
      .addOption(new Option(...EVENT).argParser(collect).makeOptionMandatory()),
  );
  adding.action(context.action(adding, add));
  addExamples(adding, [
    "authsvc webhook add https://hooks.example.com/authsvc --event '*'",
    'authsvc webhook add https://crm.example.com/hook --event user.updated --event user.removed --app crm',
  ]);
  const setting = withFields(
    webhook.command('set <id>').description('change a webhook; fields that are not given stay as they are'),
  )
    .option(...EVENT, collect)
    .option('--url <url>', 'URL to which events are sent');
  setting.action(context.action(setting, set));
  addExamples(setting, ['authsvc webhook set wh_0123456789abcdef01234567 --app ""    for all applications']);
}

function addStates(webhook: Command, context: CommandContext): void {
  const removing = webhook
    .command('remove <id>')
    .description('remove a webhook and its deliveries')
    .option('--yes', 'do not ask for confirmation; without a terminal, the command never asks');
  removing.action(context.action(removing, remove));
  const enabling = webhook
    .command('enable <id>')
    .description('enable a disabled webhook; events that happened while it was disabled are not sent');
  enabling.action(context.action(enabling, setState(true)));
  const disabling = webhook.command('disable <id>').description('disable a webhook, so that no events are sent to it');
  disabling.action(context.action(disabling, setState(false)));
  const rotating = webhook
    .command('rotate-secret <id>')
    .description('create a new secret; for some hours, messages are also signed with the old one')
    .option(
      '--keep-old-hours <hours>',
      'for how many hours messages are also signed with the old secret, 0 to 720',
      String(DEFAULT_KEEP_HOURS),
    );
  rotating.action(context.action(rotating, rotate));
}

/** Adds the command `authsvc webhook` and its subcommands. */
export function addWebhookCommands(program: Command, context: CommandContext): void {
  const webhook = program.command('webhook').description('send events to other systems; changes take effect at once');
  addChanging(webhook, context);
  const listing = webhook.command('list').description('list all webhooks');
  listing.action(context.action(listing, list));
  const showing = webhook.command('show <id>').description('show one webhook');
  showing.action(context.action(showing, show));
  addStates(webhook, context);
  const testing = webhook
    .command('test <id>')
    .description('send the event webhook.test now; exit code 0 if the receiver accepts it, else 1');
  testing.action(context.action(testing, test));
  const showingDeliveries = webhook
    .command('deliveries <id>')
    .description('list the sent and waiting deliveries of a webhook, newest first')
    .addOption(new Option('--status <status>', 'only deliveries with this status').choices([...deliveryStates]))
    .option('--limit <number>', `maximum number of deliveries, 1 to ${MAX_LIMIT}`, '100');
  showingDeliveries.action(context.action(showingDeliveries, deliveries));
  const retrying = webhook
    .command('retry <id> [message]')
    .description('send all waiting and failed deliveries of a webhook now, or only the given one');
  retrying.action(context.action(retrying, retry));
}
