import type { en } from './en.ts';

/** German texts of the page of the second step. */
export const de: typeof en = {
  title: 'Zwei-Faktor-Anmeldung',
  lede: (username) => `um sich als ${username} anzumelden`,
  code: 'Code',
  codeHint: 'Sechs Ziffern aus Ihrer Authenticator-App.',
  atOnce: 'Der Code wird gesendet, sobald er vollständig ist.',
  trustBrowser: (days) =>
    days === 1 ? 'Diesem Browser 1 Tag lang vertrauen' : `Diesem Browser ${days} Tage lang vertrauen`,
  trustHint: 'Nur auf einem Gerät, das niemand sonst nutzt.',
  submit: 'Bestätigen',
  useRecovery: 'Wiederherstellungscode verwenden',
  someoneElse: 'Mit einem anderen Konto anmelden',
  browser: {
    recoveryCodeHint:
      'Einer Ihrer gespeicherten Wiederherstellungscodes, etwa ABCDE\u201123456. Jeder gilt nur einmal.',
    recoveryCodeIncorrect: 'Prüfen Sie ihn auf Tippfehler. Jeder Wiederherstellungscode gilt nur einmal.',
    triesLeft: 'Noch {count} Versuche',
    lastTry: 'Noch 1 Versuch',
    verifying: 'Wird geprüft …',
    startOver: 'Sie werden zur Anmeldeseite zurückgeleitet …',
    recoveryCode: 'Wiederherstellungscode',
    useRecovery: 'Wiederherstellungscode verwenden',
    useApp: 'Authenticator-App verwenden',
    code: 'Code',
    codeHint: 'Sechs Ziffern aus Ihrer Authenticator-App.',
  },
};
