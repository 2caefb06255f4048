import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Abmelden?',
  lede: 'Sie sind mit diesem Konto angemeldet.',
  current: 'Dieses Konto abmelden',
  all: 'Alle Konten in diesem Browser abmelden',
  stay: 'Angemeldet bleiben',
};
