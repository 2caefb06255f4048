import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  active: 'Aktiv',
  disabled: 'Deaktiviert',
  record: 'Stammdaten',
  key: 'Schlüssel',
  kind: 'Art',
  public: 'Öffentlich',
  confidential: 'Vertraulich',
  owner: 'Gehört',
  own: 'Uns',
  others: 'Jemand anderem',
  urls: 'URLs',
  roles: 'Rollen',
  anyRole: 'Jede Rolle',
  redirectUris: 'Redirect-URIs',
  postLogoutUris: 'Post-Logout-URIs',
  backchannel: 'Back-Channel-Logout',
  icon: 'Symbol',
  created: 'Angelegt',
  more: 'Mehr zu dieser Anwendung',
  users: 'Wer sie verwenden darf',
  audit: 'Protokoll',
};
