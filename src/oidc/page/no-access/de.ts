import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Kein Zugang',
  lede: (application) => `Dieses Konto darf ${application} nicht nutzen:`,
  hint: 'Verwenden Sie ein anderes Konto, oder bitten Sie die Administration um Zugang.',
  another: 'Anderes Konto verwenden',
  back: 'Zurück zur Anwendung',
};
