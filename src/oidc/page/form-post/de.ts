import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Zurück zur Anwendung',
  lede: 'Sie werden zur Anwendung zurückgeleitet. Falls nichts geschieht, geht es hier weiter.',
  submit: 'Weiter',
};
