import type { AppEvent, EventDetails } from '../events/event-types.ts';
import type { Subscriber } from '../events/subscriber.ts';
import { browserNames } from '../lib/browser-names.ts';
import type { Clock } from '../lib/clock.ts';
import { shownName } from '../settings/application-name.ts';
import type { Settings } from '../settings/table.ts';
import { pickLanguage } from '../ui/texts/languages.ts';
import { addMail, type Mail } from './mail.ts';
import { type NoticeKind, noticeWords } from './notice-texts.ts';
import type { Outbox } from './outbox.ts';
import { addressOfUser } from './queries.ts';

function factorNotice({ kind, change, way }: EventDetails['factor.changed']): NoticeKind | undefined {
  if (way !== undefined) return 'passkeyByLink';
  if (kind === 'recovery_codes') return 'recoveryCodes';
  if (kind === 'totp') return change === 'removed' ? 'factorRemoved' : 'factorAdded';
  if (kind === 'passkey' && change === 'added') return 'passkeyAdded';
  if (kind === 'passkey' && change === 'removed') return 'passkeyRemoved';
  return undefined;
}

function passwordNotice({ way }: EventDetails['password.changed'], endsAll: boolean): NoticeKind {
  if (way === 'command') return 'passwordByCommand';
  if (way !== 'self') return 'passwordByLink';
  return endsAll ? 'passwordAndTokens' : 'password';
}

/** Returns the kind of notice for an event, or undefined if the event causes none. */
function noticeOf(event: AppEvent): NoticeKind | undefined {
  if (event.isConsequence) return undefined;
  switch (event.type) {
    case 'user.signed_in':
      return event.isNewBrowser ? 'newBrowser' : undefined;
    case 'password.changed':
      return passwordNotice(event.details, event.endsAll === true);
    case 'factor.changed':
      return factorNotice(event.details);
    case 'connection.changed':
      return event.details.change === 'added' ? 'connectionAdded' : 'connectionRemoved';
    case 'token.created':
      return 'tokenCreated';
    case 'token.revoked':
      return 'tokenRevoked';
    default:
      return event.formerEmail === undefined ? undefined : 'address';
  }
}

/** Returns whether someone else than the user of an event caused it: an operator or a superadmin. */
const isByAdministrator = ({ actor, subject }: AppEvent): boolean =>
  actor.type === 'operator' || (actor.id !== undefined && actor.id !== subject?.id);

interface NoticeFacts {
  kind: NoticeKind;
  to: string;
  event: AppEvent;
  username: string;
  now: number;
}

function noticeMail(settings: Settings, baseUrl: string, { kind, to, event, username, now }: NoticeFacts): Mail {
  const { actor } = event;
  const { browser, system } = browserNames(actor.userAgent ?? '');
  const isNewBrowser = kind === 'newBrowser';
  const isForeign = isByAdministrator(event);
  const words = noticeWords[pickLanguage(isForeign ? undefined : actor.language, settings.LANGUAGE)];
  const lines = [
    words.greeting(username),
    '',
    words.text[kind],
    '',
    words.at(`${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`),
    ...(isNewBrowser ? [words.browser(browser, system)] : []),
    // Users may not see the address of another person.
    ...(actor.address === undefined || isForeign ? [] : [words.from(actor.address)]),
    ...(isForeign ? [words.byAdministrator] : []),
    ...(isNewBrowser ? ['', words.sessions(`${baseUrl}/authsvc/account/sessions`)] : []),
    '',
    words.end(shownName(settings), baseUrl),
  ];
  return { to, subject: `${shownName(settings)}: ${words.subject[kind]}`, text: `${lines.join('\n')}\n` };
}

interface NoticeParts {
  settings: Settings;
  outbox: Outbox;
  clock: Clock;
  baseUrl(): string;
}

/** Mails users about changes to their account, except changes by an import. Without a mail server, does nothing. */
export function noticeSubscribers({ settings, outbox, clock, baseUrl }: NoticeParts): readonly Subscriber[] {
  if (settings.SMTP_URL === undefined) return [];
  return [
    {
      onEvent: async (tx, event) => {
        const kind = noticeOf(event);
        if (!kind || !event.subject || event.actor.isImport) return undefined;
        const user = await addressOfUser.first(tx, { userId: event.subject.id });
        const to = event.formerEmail ?? user?.email;
        if (!to) return undefined;
        const now = clock.now();
        const mail = noticeMail(settings, baseUrl(), { kind, to, event, username: event.subject.name, now });
        await addMail(tx, outbox, { mail, now });
        return undefined;
      },
    },
  ];
}
