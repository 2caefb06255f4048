import { type Clock, SECOND_MS } from '../lib/clock.ts';
import { within } from '../lib/within.ts';
import { isUsable, type ProviderSettings } from '../settings/identity-providers.ts';
import { publicUrl } from '../settings/public-url.ts';
import type { Settings } from '../settings/table.ts';
import { tryProvider } from '../social/try-provider.ts';
import { type Finding, failure, fine, skipped } from './finding.ts';

const PATIENCE_MS = 4 * SECOND_MS;

/** Returns the message of the cause if an error has one, because only the cause names the reason. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { parameters }: { parameters?: { cause?: unknown } } = Object(error);
  return parameters?.cause instanceof Error ? parameters.cause.message : error.message;
}

type Parts = Parameters<typeof tryProvider>[1];

/** Returns what prevents people from signing in through a provider, or undefined if nothing does. */
async function findFault(provider: ProviderSettings, parts: Parts): Promise<string | undefined> {
  const { name, keys } = provider;
  if (!isUsable(provider)) return `${name}: ${keys.CLIENT_ID} or ${keys.CLIENT_SECRET} is not set.`;
  try {
    await within(tryProvider(provider, parts), PATIENCE_MS, () => new Error('no answer came within 4 seconds'));
    return undefined;
  } catch (error) {
    return `${name}: ${wordsOf(error)}.`;
  }
}

/** Checks that every enabled provider of social sign-in can be used. */
export async function checkProviders(settings: Settings, clock: Clock): Promise<Finding> {
  const parts = { clock, baseUrl: () => publicUrl(settings) };
  const used = settings.identityProviders.filter(({ isEnabled }) => isEnabled);
  if (used.length === 0) return skipped('No provider is turned on.');
  const faults = (await Promise.all(used.map((provider) => findFault(provider, parts)))).filter(
    (fault) => fault !== undefined,
  );
  if (faults.length === 0) return fine(`${used.map(({ name }) => name).join(', ')}: the endpoints answer.`);
  return failure(
    faults.join(' '),
    'Correct the settings of the provider, let this machine reach it (HTTPS_PROXY, firewall), or turn it off.',
  );
}
