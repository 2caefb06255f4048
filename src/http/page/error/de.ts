import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  about: 'Fehlercode',
  requestId: 'Anfrage-ID',
  copyRequestId: 'Anfrage-ID kopieren',
  signIn: 'Zur Anmeldeseite',
  switchAccount: 'Konto wechseln',
  start: 'Zur Startseite',
  continue: 'Weiter',
  notLinked: (provider) => `Ihr Konto bei ${provider} ist hier mit keinem Konto verknüpft`,
  provider: 'Anbieter',
  providerAccount: (provider) => `Konto bei ${provider}`,
  copyProviderAccount: 'Konto beim Anbieter kopieren',
  details: 'Angaben für den Support',
  browser: {
    waitButton: 'Neuer Versuch in {time}',
  },
};
