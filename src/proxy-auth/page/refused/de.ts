import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  signedOut: 'Sie sind nicht angemeldet',
  formLost: 'Melden Sie sich an, gehen Sie zum Formular zurück und senden Sie es noch einmal.',
  title: 'Kein Zugang',
  signedInAs: (username) => `Sie sind als ${username} angemeldet.`,
  reasons: {
    NOT_SIGNED_IN: 'Melden Sie sich an, um fortzufahren.',
    APP_NOT_ALLOWED: 'Dieses Konto darf die Anwendung nicht nutzen.',
    ROLE_NOT_ALLOWED: 'Die Rolle dieses Kontos erlaubt das nicht.',
    TOKEN_READ_ONLY: 'Das API-Token darf nur lesen.',
  },
  signIn: 'Anmelden',
  another: 'Anderes Konto verwenden',
  back: 'Erneut versuchen',
};
