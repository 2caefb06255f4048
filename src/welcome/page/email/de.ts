import type { en } from './en.ts';

/** German texts of the page that confirms an e-mail address. */
export const de: typeof en = {
  title: 'E\u2011Mail-Adresse bestätigen',
  lede: (username, appName) => `Diese Adresse ist für das Konto ${username} bei ${appName}.`,
  email: 'E-Mail-Adresse',
  hint: 'Wenn das nicht Ihr Konto ist, schließen Sie diese Seite. Dann ändert sich nichts.',
  submit: 'Adresse bestätigen',
  doneTitle: 'E\u2011Mail-Adresse bestätigt',
  done: 'Das Konto verwendet ab jetzt diese Adresse.',
  account: 'Zu Ihrem Konto',
};
