import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Anmeldung in zwei Schritten einrichten',
  lede: (username) => `Das Konto ${username} braucht eine Authenticator-App, um sich anzumelden.`,
  begin: 'QR-Code anzeigen',
  scan: 'Scannen Sie dieses Bild mit einer Authenticator-App auf Ihrem Telefon.',
  qrCode: 'QR-Code für Ihre Authenticator-App',
  type: 'Wenn Sie es nicht scannen können, tippen Sie diesen Schlüssel in die App:',
  copyKey: 'Schlüssel kopieren',
  code: 'Code',
  codeHint: 'Sechs Ziffern, die die App jetzt anzeigt.',
  trustBrowser: (days) =>
    days === 1 ? 'Diesem Browser 1 Tag lang vertrauen' : `Diesem Browser ${days} Tage lang vertrauen`,
  trustHint: 'Nur auf einem Gerät, das niemand sonst benutzt.',
  submit: 'Bestätigen und anmelden',
  someoneElse: 'Mit einem anderen Konto anmelden',
  doneTitle: 'Codes speichern',
  doneLede:
    'Sie sind angemeldet. Wenn Sie Ihr Telefon verlieren, meldet Sie jeder dieser Codes einmal an. Sie werden nicht noch einmal angezeigt.',
  copyCodes: 'Codes kopieren',
  save: 'Als Datei speichern',
  print: 'Drucken',
  goOn: 'Codes sind gespeichert',
  browser: {
    preparing: 'Wird vorbereitet …',
    verifying: 'Wird geprüft …',
    startOver: 'Sie werden zur Anmeldeseite zurückgeleitet …',
    fileName: 'wiederherstellungscodes.txt',
  },
};
