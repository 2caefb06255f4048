import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Anmelden',
  lede: (appName) => `um zu ${appName} zu gelangen`,
  ledeDevice: 'um über die Anmeldung eines Programms zu entscheiden',
  signedInAs: (username) => [`Sie sind als ${username}`, 'angemeldet'],
  continue: 'Weiter',
  switchAccount: 'Konto wechseln',
  add: 'Weiteres Konto hinzufügen',
  continueAs: (username) => `Weiter als ${username}`,
  addAnother: 'oder ein weiteres Konto hinzufügen',
  username: 'Benutzername',
  password: 'Passwort',
  submit: 'Anmelden',
  submitAnother: 'Weiteres Konto anmelden',
  or: 'oder',
  continueWith: (provider) => `Weiter mit ${provider}`,
  lastUsed: 'Zuletzt benutzt',
  beginAgain: {
    guesses: 'Zu viele falsche Codes. Bitte melden Sie sich neu an.',
    time: 'Die Anmeldung ist abgelaufen, weil zehn Minuten lang kein Code kam. Bitte beginnen Sie neu.',
  },
  noScript:
    'Die Anmeldung mit Passwort braucht JavaScript. Schalten Sie es für diese Website ein und laden Sie die Seite neu.',
  browser: {
    usernameRequired: 'Geben Sie Ihren Benutzernamen ein',
    passwordRequired: 'Geben Sie Ihr Passwort ein',
    passwordTooShort: 'Ein Passwort hat mindestens 8 Zeichen',
    signingIn: 'Anmeldung läuft …',
  },
};
