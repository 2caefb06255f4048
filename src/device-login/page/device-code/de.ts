import type { en } from './en.ts';

/** German texts of the page that asks for a device code. */
export const de: typeof en = {
  title: 'Einem Programm die Anmeldung erlauben',
  lede: 'Geben Sie den Code ein, den das Programm anzeigt. Danach sehen Sie, was das Programm anfordert.',
  code: 'Code',
  codeHint: 'Acht Buchstaben, zum Beispiel BCDF-GHJK.',
  submit: 'Weiter',
};
