import type { en } from './en.ts';

/** German texts of the page that switches accounts. */
export const de: typeof en = {
  title: 'Konten',
  lede: 'Die Konten, die Sie in diesem Browser verwenden.',
  ledeNobody: 'Wählen Sie ein Konto, um fortzufahren.',
  current: 'Aktuell',
  switchTo: (name) => `Zu ${name} wechseln`,
  continue: 'Weiter',
  add: 'Weiteres Konto hinzufügen',
  logout: 'Abmelden',
  logoutOne: (username) => `${username} abmelden`,
  logoutLast: 'Dieses Konto abmelden',
  logoutQuestion: 'Abmelden?',
  logoutExplained: (username) => `${username} wird in diesem Browser abgemeldet.`,
  logoutAll: 'Alle Konten abmelden',
  logoutAllQuestion: 'Alle Konten abmelden?',
  logoutAllConfirm: 'Alle abmelden',
  logoutAllExplained:
    'Alle Konten in diesem Browser werden abgemeldet. Um eines wieder zu verwenden, melden Sie sich erneut an.',
  emptyTitle: 'Niemand ist angemeldet',
  empty: 'Konten, mit denen Sie sich in diesem Browser anmelden, erscheinen hier.',
  signIn: 'Anmelden',
  browser: {
    allLoggedOut: 'Alle Konten sind abgemeldet.',
  },
};
