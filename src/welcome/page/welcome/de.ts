import type { en } from './en.ts';

/** German texts of the page where a user with a link chooses a password. */
export const de: typeof en = {
  title: { invite: 'Willkommen', reset: 'Neues Passwort' },
  lede: {
    invite: (username, appName) => `Wählen Sie ein Passwort für Ihr Konto ${username} bei ${appName}.`,
    reset: (username, appName) => `Wählen Sie ein neues Passwort für Ihr Konto ${username} bei ${appName}.`,
  },
  username: 'Benutzername',
  newPassword: 'Neues Passwort',
  newPasswordHint: 'Mindestens 8 Zeichen. Ihr Name und häufige Passwörter sind nicht erlaubt.',
  code: 'Code',
  codeHint: 'Sechs Ziffern aus Ihrer Authenticator-App oder einer Ihrer Wiederherstellungscodes.',
  ends: 'Sie werden hier angemeldet und überall sonst abgemeldet.',
  submit: 'Passwort setzen und anmelden',
  or: 'oder',
  usePasskey: 'Stattdessen Passkey verwenden',
  passkeyHint: {
    invite: 'Sie melden sich dann mit Fingerabdruck, Gesicht oder Bildschirmsperre an und brauchen kein Passwort.',
    reset:
      'Sie melden sich dann mit Fingerabdruck, Gesicht oder Bildschirmsperre an. Ihr altes Passwort gilt nicht mehr.',
  },
  browser: {
    passkeyCancelled: 'Es wurde kein Passkey erstellt',
    passkeyCancelledHint: 'Versuchen Sie es erneut, oder wählen Sie ein Passwort.',
    signingIn: 'Anmeldung läuft …',
  },
};
