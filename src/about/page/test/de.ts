import type { en } from './en.ts';

/** German texts of the session page. */
export const de: typeof en = {
  title: 'Ihre Sitzung',
  lede: 'Das Konto, das Sie in diesem Browser verwenden.',
  continue: (appName) => `Weiter zu ${appName}`,
  details: 'Technische Angaben',
  userId: 'Benutzer-ID',
  role: 'Rolle',
  sessionId: 'Sitzungs-ID',
  expires: 'Angemeldet bis',
  copy: 'Sitzungs-ID kopieren',
  logout: 'Abmelden',
  logoutQuestion: 'Abmelden?',
  logoutExplained: (username) => `${username} wird in diesem Browser abgemeldet.`,
  more: 'Weitere Seiten',
  account: 'Ihr Konto',
  accountHint: 'Name, Passwort, Sitzungen und Aktivitäten',
  apps: 'Anwendungen',
  appsHint: 'Alle, die Sie nutzen dürfen',
  accounts: 'Konten',
  accountsHint: 'Zwischen den Konten in diesem Browser wechseln',
  login: 'Weiteres Konto hinzufügen',
  loginHint: 'Ohne sich abzumelden',
  info: 'Über diesen Dienst',
  infoHint: 'Version und Konfiguration',
};
