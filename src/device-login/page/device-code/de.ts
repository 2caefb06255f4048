import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Einem Programm die Anmeldung erlauben',
  lede: 'Geben Sie den Code ein, den das Programm anzeigt. Danach sehen Sie, worum es bittet.',
  code: 'Code',
  codeHint: 'Acht Buchstaben, zum Beispiel BCDF-GHJK.',
  submit: 'Weiter',
};
