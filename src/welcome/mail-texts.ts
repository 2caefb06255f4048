import type { Mail } from '../delivery/mail.ts';
import { type ApplicationName, shownName } from '../settings/application-name.ts';
import type { Settings } from '../settings/table.ts';
import { type Language, pickLanguage } from '../ui/texts/languages.ts';
import type { LinkKind } from './queries.ts';

/** The purpose of a link in a mail. */
type MailedLink = LinkKind | 'email';

interface LinkWords {
  subject(appName: string): string;
  text(facts: { username: string; appName: string; link: string; until: string }): string;
}

const words: Readonly<Record<Language, Readonly<Record<MailedLink, LinkWords>>>> = {
  en: {
    invite: {
      subject: (appName) => `Your account at ${appName}`,
      text: ({ username, appName, link, until }) =>
        `Hello ${username},\n\nYou have an account at ${appName}. Choose a password for it here:\n\n${link}\n\nThe link works once, until ${until}.\n`,
    },
    reset: {
      subject: (appName) => `New password for ${appName}`,
      text: ({ username, appName, link, until }) =>
        `Hello ${username},\n\nChoose a new password for your account at ${appName} here:\n\n${link}\n\nThe link works once, until ${until}. If you did not ask for it, ignore this mail: your password stays as it is.\n`,
    },
    email: {
      subject: (appName) => `Confirm your e-mail address for ${appName}`,
      text: ({ username, appName, link, until }) =>
        `Hello,\n\nThis address was given for the account ${username} at ${appName}. Confirm it here:\n\n${link}\n\nThe link works once, until ${until}. If this is not your account, ignore this mail: nothing changes then.\n`,
    },
  },
  de: {
    invite: {
      subject: (appName) => `Ihr Konto bei ${appName}`,
      text: ({ username, appName, link, until }) =>
        `Guten Tag ${username},\n\nSie haben ein Konto bei ${appName}. Wählen Sie hier ein Passwort:\n\n${link}\n\nDer Link gilt einmal und bis ${until}.\n`,
    },
    reset: {
      subject: (appName) => `Neues Passwort für ${appName}`,
      text: ({ username, appName, link, until }) =>
        `Guten Tag ${username},\n\nwählen Sie hier ein neues Passwort für Ihr Konto bei ${appName}:\n\n${link}\n\nDer Link gilt einmal und bis ${until}. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist.\n`,
    },
    email: {
      subject: (appName) => `Bestätigen Sie Ihre E-Mail-Adresse für ${appName}`,
      text: ({ username, appName, link, until }) =>
        `Guten Tag,\n\ndiese Adresse wurde für das Konto ${username} bei ${appName} angegeben. Bestätigen Sie sie hier:\n\n${link}\n\nDer Link gilt einmal und bis ${until}. Wenn das nicht Ihr Konto ist, ignorieren Sie diese E-Mail: Dann ändert sich nichts.\n`,
    },
  },
};

interface LinkMail {
  kind: MailedLink;
  to: string;
  username: string;
  link: string;
  expiresAt: number;
  /** The Accept-Language header of the browser that requested the mail. */
  language: string | undefined;
}

/** Creates the mail with a link. */
export function linkMail(
  settings: ApplicationName & Pick<Settings, 'LANGUAGE'>,
  { kind, to, username, link, expiresAt, language }: LinkMail,
): Mail {
  const { subject, text } = words[pickLanguage(language, settings.LANGUAGE)][kind];
  const appName = shownName(settings);
  const until = `${new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return { to, subject: subject(appName), text: text({ username, appName, link, until }) };
}
