import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  question: ['Darf', 'Ihr Konto verwenden?'],
  quoted: (name) => `„${name}“`,
  title: 'Darf eine Anwendung Ihr Konto verwenden?',
  lede: (host) => `Die Anwendung unter ${host} gehört nicht zu uns. Sie möchte:`,
  as: 'Die Anwendung erhält Zugriff auf dieses Konto:',
  switchAccount: 'Konto wechseln',
  scopes: {
    openid: 'Ihr Konto wiedererkennen',
    profile: 'Ihren Namen, Ihren Benutzernamen und Ihr Bild sehen',
    email: 'Ihre E-Mail-Adresse sehen',
    roles: 'Ihre Rolle sehen',
    apps: 'sehen, welche Anwendungen Sie nutzen dürfen',
    offline_access: 'den Zugriff behalten, nachdem Sie sich abgemeldet haben',
  },
  approve: 'Erlauben',
  deny: 'Ablehnen',
};
