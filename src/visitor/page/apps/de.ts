import type { en } from './en.ts';

/** German texts of the page that lists the person's applications. */
export const de: typeof en = {
  title: 'Anwendungen',
  lede: 'Die Anwendungen, die Sie nutzen dürfen.',
  none: 'Sie dürfen noch keine Anwendung nutzen. Bitten Sie die Administration um Zugang.',
  account: 'Zu Ihrem Konto',
};
