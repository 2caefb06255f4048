import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Bestätigung in zwei Schritten',
  lede: (username) => `Noch ein Schritt, um sich als ${username} anzumelden.`,
  code: 'Code',
  codeHint: 'Sechs Ziffern aus der Authenticator-App.',
  trustBrowser: (days) =>
    days === 1 ? 'Diesem Gerät 1 Tag lang vertrauen' : `Diesem Gerät ${days} Tage lang vertrauen`,
  trustHint: 'Nur auf einem Gerät, das niemand sonst benutzt.',
  submit: 'Bestätigen',
  useRecovery: 'Wiederherstellungscode verwenden',
  someoneElse: 'Mit einem anderen Konto anmelden',
  noScript: 'Die Bestätigung braucht JavaScript. Schalten Sie es für diese Website ein und laden Sie die Seite neu.',
  browser: {
    recoveryCodeHint:
      'Einer der Wiederherstellungscodes, die Sie erhalten haben, etwa ABCDE-23456. Jeder gilt nur einmal.',
    recoveryCodeIncorrect: 'Prüfen Sie ihn auf Tippfehler. Jeder Wiederherstellungscode gilt nur einmal.',
    triesLeft: 'Verbleibende Versuche: {count}',
    verifying: 'Wird geprüft …',
    waitedTooLong: 'Die Anmeldung ist abgelaufen, weil zehn Minuten lang kein Code kam. Bitte beginnen Sie neu.',
    startOver: 'Ihre Anmeldung ist abgelaufen. Es geht zurück zur Anmeldeseite …',
    recoveryCode: 'Wiederherstellungscode',
    useRecovery: 'Wiederherstellungscode verwenden',
    useApp: 'Authenticator-App verwenden',
    code: 'Code',
  },
};
