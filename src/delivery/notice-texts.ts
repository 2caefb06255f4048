import type { Language } from '../ui/texts/languages.ts';

/** The kinds of notices that users get by mail, each after a certain change to their account. */
export type NoticeKind =
  | 'newBrowser'
  | 'password'
  | 'passwordAndTokens'
  | 'passwordByCommand'
  | 'passwordByLink'
  | 'factorAdded'
  | 'factorRemoved'
  | 'recoveryCodes'
  | 'passkeyAdded'
  | 'passkeyRemoved'
  | 'passkeyByLink'
  | 'connectionAdded'
  | 'connectionRemoved'
  | 'tokenCreated'
  | 'tokenRevoked'
  | 'address';

interface NoticeWords {
  subject: Readonly<Record<NoticeKind, string>>;
  text: Readonly<Record<NoticeKind, string>>;
  greeting(username: string): string;
  at(time: string): string;
  from(address: string): string;
  browser(browser: string | null, system: string | null): string;
  byAdministrator: string;
  sessions(link: string): string;
  end(appName: string, baseUrl: string): string;
}

const en: NoticeWords = {
  subject: {
    newBrowser: 'Sign-in from a new browser',
    password: 'Your password was changed',
    passwordAndTokens: 'Your password was changed',
    passwordByCommand: 'Your password was changed',
    passwordByLink: 'Your password was set with a link',
    factorAdded: 'An authenticator app was set up',
    factorRemoved: 'Your authenticator app was removed',
    recoveryCodes: 'You have new recovery codes',
    passkeyAdded: 'A passkey was added',
    passkeyRemoved: 'A passkey was removed',
    passkeyByLink: 'A passkey was added with a link',
    connectionAdded: 'An account at another service was connected to yours',
    connectionRemoved: 'An account at another service was disconnected from yours',
    tokenCreated: 'An API token was created',
    tokenRevoked: 'An API token was revoked',
    address: 'Your e-mail address was changed',
  },
  text: {
    newBrowser: 'Someone signed in to your account from a browser that we do not recognise.',
    password: 'The password of your account was changed. All other sessions have ended. API tokens still work.',
    passwordAndTokens:
      'The password of your account was changed. All other sessions have ended. API tokens no longer work.',
    passwordByCommand: 'The password of your account was changed. All sessions have ended. API tokens stay.',
    passwordByLink:
      'The password of your account was set with a link. All other sessions have ended. Passkeys, connected accounts and API tokens still work.',
    factorAdded: 'An authenticator app was set up for your account. Former recovery codes no longer work.',
    factorRemoved: 'The authenticator app of your account was removed.',
    recoveryCodes: 'Your account has new recovery codes. The former ones no longer work.',
    passkeyAdded: 'A passkey was added to your account.',
    passkeyRemoved: 'A passkey was removed from your account.',
    passkeyByLink:
      'A passkey was added to your account with a link. A password no longer works. All other sessions have ended. Other passkeys, connected accounts and API tokens still work.',
    connectionAdded:
      'An account at another service was connected to your account. Its owner can sign in to your account.',
    connectionRemoved:
      'An account at another service was disconnected from your account. Its owner can no longer sign in to your account.',
    tokenCreated: 'An API token was created for your account.',
    tokenRevoked: 'An API token of your account was revoked.',
    address: 'The e-mail address of your account was changed. We no longer send mails to this address.',
  },
  greeting: (username) => `Hello ${username},`,
  at: (time) => `Time: ${time}`,
  from: (address) => `IP address: ${address}`,
  browser: (browser, system) =>
    `Browser: ${browser === null ? (system ?? 'unknown') : system === null ? browser : `${browser} on ${system}`}`,
  byAdministrator: 'An administrator made this change.',
  sessions: (link) => `You can end the session of that browser here:\n\n${link}`,
  end: (appName, baseUrl) => `If this was not you, tell your administrator.\n\n${appName}, ${baseUrl}`,
};

const de: NoticeWords = {
  subject: {
    newBrowser: 'Anmeldung in einem neuen Browser',
    password: 'Ihr Passwort wurde geändert',
    passwordAndTokens: 'Ihr Passwort wurde geändert',
    passwordByCommand: 'Ihr Passwort wurde geändert',
    passwordByLink: 'Ihr Passwort wurde über einen Link gesetzt',
    factorAdded: 'Eine Authenticator-App wurde eingerichtet',
    factorRemoved: 'Ihre Authenticator-App wurde entfernt',
    recoveryCodes: 'Sie haben neue Wiederherstellungscodes',
    passkeyAdded: 'Ein Passkey wurde hinzugefügt',
    passkeyRemoved: 'Ein Passkey wurde entfernt',
    passkeyByLink: 'Ein Passkey wurde über einen Link hinzugefügt',
    connectionAdded: 'Ein Konto bei einem anderen Dienst wurde mit Ihrem verknüpft',
    connectionRemoved: 'Die Verknüpfung mit einem anderen Dienst wurde getrennt',
    tokenCreated: 'Ein API-Token wurde erstellt',
    tokenRevoked: 'Ein API-Token wurde widerrufen',
    address: 'Ihre E-Mail-Adresse wurde geändert',
  },
  text: {
    newBrowser: 'Jemand hat sich mit Ihrem Konto in einem Browser angemeldet, den wir nicht kennen.',
    password:
      'Das Passwort Ihres Kontos wurde geändert. Alle anderen Sitzungen sind beendet. API-Tokens gelten weiterhin.',
    passwordAndTokens:
      'Das Passwort Ihres Kontos wurde geändert. Alle anderen Sitzungen sind beendet. API-Tokens gelten nicht mehr.',
    passwordByCommand:
      'Das Passwort Ihres Kontos wurde geändert. Alle Sitzungen sind beendet. API-Tokens bleiben bestehen.',
    passwordByLink:
      'Das Passwort Ihres Kontos wurde über einen Link gesetzt. Alle anderen Sitzungen sind beendet. Passkeys, verknüpfte Konten und API-Tokens gelten weiterhin.',
    factorAdded:
      'Für Ihr Konto wurde eine Authenticator-App eingerichtet. Frühere Wiederherstellungscodes gelten nicht mehr.',
    factorRemoved: 'Die Authenticator-App Ihres Kontos wurde entfernt.',
    recoveryCodes: 'Ihr Konto hat neue Wiederherstellungscodes. Die früheren gelten nicht mehr.',
    passkeyAdded: 'Ihrem Konto wurde ein Passkey hinzugefügt.',
    passkeyRemoved: 'Ein Passkey Ihres Kontos wurde entfernt.',
    passkeyByLink:
      'Ihrem Konto wurde über einen Link ein Passkey hinzugefügt. Ein Passwort gilt nicht mehr. Alle anderen Sitzungen sind beendet. Andere Passkeys, verknüpfte Konten und API-Tokens gelten weiterhin.',
    connectionAdded:
      'Ein Konto bei einem anderen Dienst wurde mit Ihrem Konto verknüpft. Damit ist die Anmeldung bei Ihrem Konto möglich.',
    connectionRemoved:
      'Die Verknüpfung mit einem Konto bei einem anderen Dienst wurde getrennt. Damit ist keine Anmeldung bei Ihrem Konto mehr möglich.',
    tokenCreated: 'Für Ihr Konto wurde ein API-Token erstellt.',
    tokenRevoked: 'Ein API-Token Ihres Kontos wurde widerrufen.',
    address: 'Die E-Mail-Adresse Ihres Kontos wurde geändert. An diese Adresse gehen keine E-Mails mehr.',
  },
  greeting: (username) => `Guten Tag ${username},`,
  at: (time) => `Zeit: ${time}`,
  from: (address) => `IP-Adresse: ${address}`,
  browser: (browser, system) =>
    `Browser: ${browser === null ? (system ?? 'unbekannt') : system === null ? browser : `${browser} unter ${system}`}`,
  byAdministrator: 'Die Administration hat diese Änderung vorgenommen.',
  sessions: (link) => `Die Sitzung dieses Browsers können Sie hier beenden:\n\n${link}`,
  end: (appName, baseUrl) =>
    `Wenn Sie das nicht waren, wenden Sie sich an die Administration.\n\n${appName}, ${baseUrl}`,
};

/** The texts of the notices in each language. */
export const noticeWords: Readonly<Record<Language, NoticeWords>> = { en, de };
