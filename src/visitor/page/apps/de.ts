import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Anwendungen',
  lede: 'Die Anwendungen, die Sie nutzen dürfen.',
  none: 'Für Sie gibt es noch keine Anwendung. Bitten Sie die Administration um Zugang.',
  account: 'Zu Ihrem Konto',
};
