import type { en } from './en.ts';

/** German texts of the sign-out page. */
export const de: typeof en = {
  title: 'Abmelden?',
  lede: 'Sie sind mit diesem Konto angemeldet.',
  current: 'Dieses Konto abmelden',
  all: 'Alle Konten in diesem Browser abmelden',
  stay: 'Angemeldet bleiben',
};
