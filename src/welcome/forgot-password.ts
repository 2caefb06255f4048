import type { Database } from '../db/handle.ts';
import { addMail } from '../delivery/mail.ts';
import type { Outbox } from '../delivery/outbox.ts';
import type { Message, Sender } from '../delivery/sender.ts';
import type { Actor } from '../events/actor.ts';
import { CLOCK_TOLERANCE_MS, type Clock, HOUR_MS, MINUTE_MS } from '../lib/clock.ts';
import { parseEmail } from '../lib/email-address.ts';
import type { Settings } from '../settings/table.ts';
import { lockUsers } from '../users/lock-users.ts';
import { parseUsername } from '../users/username.ts';
import { issueLink, welcomeUrl } from './issue-link.ts';
import { linkMail } from './mail-texts.ts';
import { countResetMails, deleteOldResetMails, insertResetMail, usersToReset } from './queries.ts';

const FORGOT = 'forgot';
/** How long a request may wait. A request that was not processed in this time is dropped. */
const REQUEST_LIFE_MS = 10 * MINUTE_MS;
const LINK_LIFE_MS = 2 * HOUR_MS;
const MAX_MAILS = 3;

/** A request for reset links: the typed name or address, and who asks. */
interface ForgotRequest {
  /** The username or e-mail address as typed. */
  typed: string;
  address: string;
  userAgent: string;
  requestId: string;
  language: string;
}

/**
 * Accepts a request for reset links. The user is looked up in the background, so that neither the reply nor its timing
 * reveals whether the user exists.
 *
 * @see OWASP ASVS 5.0 6.3.8
 */
export function askForReset(
  { database, outbox, clock }: { database: Database; outbox: Outbox; clock: Clock },
  typed: string,
  { address = '', userAgent = '', requestId = '', language = '' }: Actor,
): Promise<void> {
  const payload: ForgotRequest = { typed, address, userAgent, requestId, language };
  const expiresAt = clock.now() + REQUEST_LIFE_MS;
  return database.transaction((tx) => outbox.add(tx, { kind: FORGOT, payload, expiresAt }));
}

function readRequest(payload: unknown): ForgotRequest {
  const fields = Object(payload);
  const textOf = (name: keyof ForgotRequest) => (typeof fields[name] === 'string' ? fields[name] : '');
  return {
    typed: textOf('typed'),
    address: textOf('address'),
    userAgent: textOf('userAgent'),
    requestId: textOf('requestId'),
    language: textOf('language'),
  };
}

interface ForgotParts {
  database: Database;
  outbox: Outbox;
  clock: Clock;
  settings: Settings;
  baseUrl(): string;
}

/**
 * Mails a reset link to each account that has the given username or e-mail address. An account gets at most three such
 * mails an hour.
 */
async function mailResets(parts: ForgotParts, { typed, language, ...asker }: ForgotRequest): Promise<undefined> {
  const { database, outbox, clock, settings, baseUrl } = parts;
  const keys = { nameKey: parseUsername(typed)?.key ?? '', emailKey: parseEmail(typed)?.key ?? '' };
  const ids = (await usersToReset.all(database, keys)).map(({ id }) => id);
  if (ids.length === 0) return undefined;
  const actor: Actor = { type: 'anonymous', ...asker };
  await database.transaction(async (tx) => {
    await lockUsers(tx, ids);
    const now = clock.now();
    // Reads the users again after locking them. If a user has confirmed a new address in the meantime, the new one counts
    // and the old one does not.
    const users = (await usersToReset.all(tx, keys)).filter(({ id }) => ids.includes(id));
    for (const { id, username, email } of users) {
      await deleteOldResetMails.run(tx, { userId: id, before: now - HOUR_MS });
      const sent = await countResetMails.first(tx, {
        userId: id,
        since: now - HOUR_MS,
        latest: now + CLOCK_TOLERANCE_MS,
      });
      if (email === null || (sent?.count ?? 0) >= MAX_MAILS) continue;
      await insertResetMail.run(tx, { userId: id, now });
      const wish = { user: { id, username }, kind: 'reset', source: 'mail', sentTo: email } as const;
      const expiresAt = now + LINK_LIFE_MS;
      const link = await issueLink(tx, { ...wish, removesFactor: false, expiresAt }, { now, actor });
      const url = welcomeUrl(baseUrl(), link.code);
      const mail = linkMail(settings, { kind: 'reset', to: email, username, link: url, expiresAt, language });
      await addMail(tx, outbox, { mail, link, now });
    }
  });
  return undefined;
}

/** Creates the sender that processes requests for reset links. */
export const forgotSender = (parts: ForgotParts): Sender => ({
  kind: FORGOT,
  send: ({ payload }: Message) => mailResets(parts, readRequest(payload)),
});
