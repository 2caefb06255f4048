import type { en } from './en.ts';

/** German texts of the page for a forgotten password. */
export const de: typeof en = {
  title: 'Passwort vergessen?',
  lede: 'Geben Sie Ihren Benutzernamen oder Ihre E\u2011Mail-Adresse ein. Sie erhalten einen Link, um ein neues Passwort zu wählen.',
  username: 'Benutzername oder E\u2011Mail-Adresse',
  usernameRequired: 'Geben Sie Ihren Benutzernamen oder Ihre E\u2011Mail-Adresse ein',
  submit: 'Link senden',
  sentTitle: 'Prüfen Sie Ihr Postfach',
  sent: 'Wenn es ein Konto mit einer bestätigten E\u2011Mail-Adresse gibt, ist ein Link unterwegs. Er gilt zwei Stunden. Ein Konto erhält höchstens drei Links in einer Stunde.',
  back: 'Zurück zur Anmeldung',
};
