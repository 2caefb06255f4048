import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Webhook',
  active: 'Aktiv',
  disabled: 'Deaktiviert',
  record: 'Stammdaten',
  id: 'Kennung',
  url: 'URL',
  events: 'Ereignisse',
  everyEvent: 'Alle',
  app: 'Anwendung',
  anyApp: 'Jede',
  description: 'Beschreibung',
  created: 'Angelegt',
  lastDelivered: 'Zuletzt zugestellt',
  failingSince: 'Schlägt fehl seit',
  more: 'Mehr zu diesem Webhook',
  deliveries: 'Zustellungen',
  audit: 'Protokoll',
};
