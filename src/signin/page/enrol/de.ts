import type { en } from './en.ts';

/** German texts of the page that sets up a second factor during a sign-in. */
export const de: typeof en = {
  title: 'Zwei-Faktor-Anmeldung einrichten',
  lede: (username) => `Für die Anmeldung als ${username} brauchen Sie eine Authenticator-App.`,
  begin: 'QR-Code anzeigen',
  scan: 'Scannen Sie diesen QR-Code mit einer Authenticator-App auf Ihrem Telefon.',
  qrCode: 'QR-Code für Ihre Authenticator-App',
  type: 'Wenn Sie ihn nicht scannen können, geben Sie diesen Schlüssel in der App ein:',
  copyKey: 'Schlüssel kopieren',
  code: 'Code',
  codeHint: 'Die sechs Ziffern, die die App anzeigt.',
  trustBrowser: (days) =>
    days === 1 ? 'Diesem Browser 1 Tag lang vertrauen' : `Diesem Browser ${days} Tage lang vertrauen`,
  trustHint: 'Nur auf einem Gerät, das niemand sonst nutzt.',
  submit: 'Bestätigen und anmelden',
  someoneElse: 'Mit einem anderen Konto anmelden',
  doneTitle: 'Codes speichern',
  doneLede:
    'Sie sind angemeldet. Wenn Sie Ihr Telefon verlieren, können Sie sich mit jedem dieser Codes einmal anmelden. Sie werden nicht noch einmal angezeigt.',
  copyCodes: 'Codes kopieren',
  save: 'Als Datei speichern',
  print: 'Drucken',
  goOn: 'Ich habe die Codes gespeichert',
  browser: {
    preparing: 'Wird vorbereitet …',
    verifying: 'Wird geprüft …',
    startOver: 'Sie werden zur Anmeldeseite zurückgeleitet …',
    fileName: 'wiederherstellungscodes.txt',
  },
};
