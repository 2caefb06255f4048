import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Konten',
  lede: 'Die Konten in diesem Browser.',
  ledeNobody: 'Wählen Sie ein Konto, um fortzufahren.',
  noScript:
    'Wechseln und Abmelden brauchen JavaScript. Schalten Sie es für diese Website ein und laden Sie die Seite neu.',
  current: 'Aktuell',
  switchTo: (name) => `Zu ${name} wechseln`,
  continue: 'Weiter',
  add: 'Weiteres Konto hinzufügen',
  logout: 'Abmelden',
  logoutOne: (username) => `${username} abmelden`,
  logoutLast: 'Dieses Konto abmelden',
  logoutQuestion: 'Abmelden?',
  logoutExplained: (username) => `Die Sitzung von ${username} in diesem Browser wird beendet.`,
  logoutAll: 'Alle Konten abmelden',
  logoutAllQuestion: 'Alle Konten abmelden?',
  logoutAllConfirm: 'Alle abmelden',
  logoutAllExplained:
    'Alle Konten in diesem Browser werden abgemeldet. Danach ist für jedes eine neue Anmeldung nötig.',
  emptyTitle: 'Niemand ist angemeldet',
  empty: 'Konten, mit denen Sie sich in diesem Browser anmelden, erscheinen hier.',
  signIn: 'Anmelden',
  browser: {
    allLoggedOut: 'Alle Konten sind abgemeldet.',
  },
};
