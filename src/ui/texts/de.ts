import { incorrectSignIn } from './errors-de.ts';
import type { Texts } from './languages.ts';

const tryLater = 'Bitte versuchen Sie es später erneut.';

/** Every text of every page in German. */
export const de: Texts = {
  layout: {
    madeBy: (version) => `authsvc ${version}`,
  },
  dialog: {
    cancel: 'Abbrechen',
  },
  plainErrors: {
    PASSWORD_INCORRECT: incorrectSignIn,
    USER_UNKNOWN: incorrectSignIn,
    APP_NOT_ALLOWED: {
      message: 'Sie dürfen diese Anwendung nicht benutzen',
      hint: 'Bitten Sie die Administration um Zugang oder melden Sie sich mit einem anderen Konto an.',
    },
    USER_CODE_UNKNOWN: {
      message: 'Dieser Code ist nicht bekannt',
      hint: 'Vergleichen Sie ihn mit dem, den das Programm anzeigt, und geben Sie ihn noch einmal ein.',
    },
    SECOND_STEP_CODE_REQUIRED: {
      message: 'Geben Sie den Code ein',
      hint: 'Sechs Ziffern aus der Authenticator-App oder ein Wiederherstellungscode.',
    },
    SECOND_STEP_CODE_MALFORMED: {
      message: 'Das ist kein gültiger Code',
      hint: 'Ein Code aus der Authenticator-App hat sechs Ziffern, ein Wiederherstellungscode zwei Gruppen zu fünf Zeichen.',
    },
    SECOND_STEP_CODE_INCORRECT: {
      message: 'Der Code ist falsch',
      hint: 'Verwenden Sie den neuesten Code; jeder gilt nur einmal. Prüfen Sie, ob die Uhr Ihres Geräts stimmt.',
    },
    SECOND_STEP_MISCONFIGURED: {
      message: 'Der zweite Schritt ist nicht richtig eingerichtet',
      hint: 'Bitten Sie die Administration, ihn neu einzurichten.',
    },
    PASSWORD_TOO_SHORT: { message: 'Ein Passwort hat mindestens 8 Zeichen', hint: 'Prüfen Sie es auf Tippfehler.' },
    TOO_MANY_LOGINS: { message: 'Zu viele Versuche', hint: tryLater },
    TOO_MANY_LOGOUTS: { message: 'Zu viele Abmeldeversuche', hint: tryLater },
    TOO_MANY_CODES: { message: 'Zu viele Codes', hint: tryLater },
    TOO_MANY_REQUESTS: { message: 'Zu viele Anfragen', hint: tryLater },
    OVERLOADED: { message: 'Der Dienst ist gerade ausgelastet', hint: tryLater },
    LOGIN_FAILED: {
      message: 'Bei uns ist etwas schiefgegangen',
      hint: 'Niemand wurde angemeldet. Versuchen Sie es gleich noch einmal.',
    },
    INTERNAL_ERROR: {
      message: 'Bei uns ist etwas schiefgegangen',
      hint: 'Versuchen Sie es gleich noch einmal. Besteht das Problem weiter, nennen Sie der Administration die Anfrage-ID.',
    },
    METHOD_NOT_ALLOWED: {
      message: 'Diese Adresse ist für Programme',
      hint: 'Im Browser lässt sie sich nicht öffnen.',
    },
    NOT_FOUND: {
      message: 'Diese Seite gibt es nicht',
      hint: 'Prüfen Sie die Adresse auf Tippfehler.',
    },
    URL_INVALID: {
      message: 'Diese Adresse ist nicht lesbar',
      hint: 'Prüfen Sie sie auf Tippfehler.',
    },
  },
  browser: {
    loggedOut: '{name} ist abgemeldet.',
    codeRequired: 'Geben Sie den Code ein',
    codeInvalid: 'Das ist kein gültiger Code',
    showPassword: 'Passwort anzeigen',
    hidePassword: 'Passwort verbergen',
    capsLock: 'Die Feststelltaste ist eingeschaltet.',
    working: 'Einen Augenblick …',
    unreachable: 'Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    unexpected: 'Etwas ist schiefgegangen. Versuchen Sie es erneut.',
    stale: 'Diese Seite ist veraltet. Laden Sie sie neu und versuchen Sie es erneut.',
    tryAgain: 'Erneut versuchen',
    waitMessage: 'Sie können es in {time} erneut versuchen.',
    tryAgainNow: 'Sie können es jetzt erneut versuchen.',
    copied: 'Kopiert',
    notCopied: 'Kopieren nicht möglich',
    justNow: 'gerade eben',
  },
};
