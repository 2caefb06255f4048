import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { randomText } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';

const PURPOSE = 'webhook secret';
const PREFIX = 'whsec_';
const KEY_BYTES = 32;
const MAX_KEPT = 1000;

/** Creates a secret for a webhook. */
export const newWebhookSecret = (): string =>
  PREFIX + Buffer.from(randomText(KEY_BYTES), 'base64url').toString('base64');

export const sealSecret = (sealer: Pick<Sealer, 'seal'>, secret: string): string => sealer.seal(PURPOSE, secret);

/**
 * Returns a sealer that caches each secret that it opens. The cache is never outdated, because the content of a sealed
 * text does not change.
 */
export function rememberSecrets(sealer: Pick<Sealer, 'open'>): Pick<Sealer, 'open'> {
  const known = new LRUCache<string, string>({ max: MAX_KEPT });
  return {
    open: (purpose, sealed) => {
      const secret = known.get(sealed) ?? sealer.open(purpose, sealed);
      if (secret !== undefined) known.set(sealed, secret);
      return secret;
    },
  };
}

/** Returns the secrets with which a webhook signs at the given time, newest first. */
export function openSecrets(
  sealer: Pick<Sealer, 'open'>,
  webhook: { sealed_secret: string; old_sealed_secret: string | null; old_secret_until: number | null },
  now: number,
): string[] {
  const { sealed_secret: current, old_sealed_secret: old, old_secret_until: until } = webhook;
  const kept = old !== null && until !== null && until > now ? [current, old] : [current];
  return kept.map((sealed) => {
    const secret = sealer.open(PURPOSE, sealed);
    if (secret === undefined) throw new Error('no data key opens the secret of the webhook');
    return secret;
  });
}

/**
 * Creates the headers with which a receiver verifies a message.
 *
 * @param at time of the attempt, in milliseconds
 * @see Standard Webhooks, "Webhook Metadata" and "Signature scheme"
 */
export function signatureHeaders(
  { id, body }: { id: string; body: string },
  secrets: readonly string[],
  at: number,
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  };
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(sign).join(' '),
  };
}
