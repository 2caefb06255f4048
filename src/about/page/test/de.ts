import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Ihre Sitzung',
  lede: 'Wer hier angemeldet ist und bis wann.',
  continue: (appName) => `Weiter zu ${appName}`,
  details: 'Technische Angaben',
  userId: 'Benutzer-ID',
  role: 'Rolle',
  sessionId: 'Sitzungs-ID',
  expires: 'Angemeldet bis',
  copy: 'Sitzungs-ID kopieren',
  logout: 'Abmelden',
  noScript: 'Das Abmelden braucht JavaScript. Schalten Sie es für diese Website ein und laden Sie die Seite neu.',
  logoutQuestion: 'Abmelden?',
  logoutExplained: (username) => `Die Sitzung von ${username} in diesem Browser wird beendet.`,
  more: 'Weitere Seiten',
  accounts: 'Konten',
  accountsHint: 'Zwischen den Konten in diesem Browser wechseln',
  login: 'Weiteres Konto hinzufügen',
  loginHint: 'Ohne sich abzumelden',
  info: 'Über diesen Dienst',
  infoHint: 'Version und Konfiguration',
};
