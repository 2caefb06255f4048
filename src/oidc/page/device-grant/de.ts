import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Auf einem Gerät anmelden',
  lede: 'Geben Sie den Code ein, den das Gerät anzeigt. Danach sehen Sie, was das Gerät anfordert.',
  code: 'Code',
  codeHint: 'Acht Buchstaben, zum Beispiel BCDF-GHJK.',
  submit: 'Weiter',
  question: ['Darf', 'sich auf einem Gerät anmelden?'],
  questionTitle: 'Darf sich eine Anwendung anmelden?',
  quoted: (name) => `„${name}“`,
  as: 'Die Anwendung erhält Zugriff auf dieses Konto:',
  switchAccount: 'Konto wechseln',
  compare: 'Vergleichen Sie diesen Code mit dem Code auf dem Gerät:',
  asks: 'Die Anwendung möchte:',
  scopes: {
    openid: 'Ihr Konto wiedererkennen',
    profile: 'Ihren Namen, Ihren Benutzernamen und Ihr Bild sehen',
    email: 'Ihre E-Mail-Adresse sehen',
    roles: 'Ihre Rolle sehen',
    apps: 'sehen, welche Anwendungen Sie nutzen dürfen',
    offline_access: 'den Zugriff behalten, nachdem Sie sich abgemeldet haben',
  },
  warning:
    'Hat Ihnen jemand diesen Link oder Code geschickt? Dann wählen Sie „Ablehnen“. Sonst erhält diese Person Zugriff auf Ihr Konto.',
  approve: 'Erlauben',
  deny: 'Ablehnen',
  address: 'IP-Adresse des Geräts',
  details: 'Details',
  approvedTitle: 'Erlaubt',
  approved: (application) =>
    `${application} meldet sich an. Sie können diese Seite schließen und zum Gerät zurückkehren.`,
  deniedTitle: 'Abgelehnt',
  denied: (application) => `${application} erhält keinen Zugriff. Sie können diese Seite schließen.`,
  start: 'Zur Startseite',
};
