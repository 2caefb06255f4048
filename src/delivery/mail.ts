import type { Transaction } from '../db/handle.ts';
import { DAY_MS } from '../lib/clock.ts';
import type { Outbox } from './outbox.ts';

export const MAIL = 'mail';

/** A mail of plain text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** The link in a mail: either a row of `welcome_links`, or a link that confirms an e-mail address. */
interface CarriedLink {
  codeHash: string;
  expiresAt: number;
  confirmsEmail?: boolean;
}

/**
 * Puts a mail into the outbox. Sending is retried for a day, or until the mail's link expires.
 *
 * @param tx transaction of the change that causes the mail
 */
export function addMail(
  tx: Transaction,
  outbox: Outbox,
  { mail, link, now }: { mail: Mail; link?: CarriedLink; now: number },
): Promise<void> {
  const lastAttempt = now + DAY_MS;
  const expiresAt = link ? Math.min(lastAttempt, link.expiresAt) : lastAttempt;
  const carried = link && { [link.confirmsEmail ? 'emailHash' : 'linkHash']: link.codeHash };
  return outbox.add(tx, { kind: MAIL, payload: mail, expiresAt, ...carried });
}
