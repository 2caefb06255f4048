import type { en } from './en.ts';

/** German texts of the login page. */
export const de: typeof en = {
  title: 'Anmelden',
  lede: (appName) => `um zu ${appName} zu gelangen`,
  ledeDevice: 'um über die Anmeldung eines Programms zu entscheiden',
  signedIn: 'Sie sind angemeldet',
  continue: 'Weiter',
  useAnother: 'Anderes Konto verwenden',
  add: 'Weiteres Konto hinzufügen',
  againLede: (username) => `Bitte bestätigen Sie, dass Sie ${username} sind.`,
  addLede: (username) => `Sie bleiben als ${username} angemeldet.`,
  continueAs: (username) => `Weiter als ${username}`,
  username: 'Benutzername',
  password: 'Passwort',
  submit: 'Anmelden',
  forgot: 'Passwort vergessen?',
  or: 'oder',
  usePasskey: 'Mit Passkey anmelden',
  continueWith: (provider) => `Weiter mit ${provider}`,
  lastUsed: 'Zuletzt genutzt',
  beginAgain: {
    guesses: 'Sie haben zu oft einen falschen Code eingegeben. Melden Sie sich erneut an.',
    time: 'Ihre Anmeldung ist nicht mehr gültig. Melden Sie sich erneut an.',
  },
  browser: {
    usernameRequired: 'Geben Sie Ihren Benutzernamen ein',
    passwordRequired: 'Geben Sie Ihr Passwort ein',
    signingIn: 'Anmeldung läuft …',
    passkeyCancelledHint: 'Versuchen Sie es erneut, oder melden Sie sich mit Ihrem Passwort an.',
  },
};
