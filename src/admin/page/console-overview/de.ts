import type { en } from './en.ts';

const decimal = (number: number): string => String(number).replace('.', ',');

/** German texts of the console overview. */
export const de: typeof en = {
  title: 'Überblick',
  attention: 'Handlungsbedarf',
  kinds: {
    superadmin_without_second_factor: (count) =>
      count === 1
        ? '1 Superadmin hat die Zwei-Faktor-Anmeldung nicht eingerichtet'
        : `${count} Superadmins haben die Zwei-Faktor-Anmeldung nicht eingerichtet`,
    token_expiring: (count) =>
      count === 1
        ? '1 API-Token läuft innerhalb von 7\u00a0Tagen ab'
        : `${count} API-Tokens laufen innerhalb von 7\u00a0Tagen ab`,
    mail_waiting: (count) =>
      count === 1
        ? '1 E-Mail wartet, weil sie nicht gesendet werden konnte'
        : `${count} E-Mails warten, weil sie nicht gesendet werden konnten`,
    webhook_failing: (count) => (count === 1 ? '1 Webhook schlägt fehl' : `${count} Webhooks schlagen fehl`),
  },
  show: 'Anzeigen',
  numbers: 'Zahlen',
  users: 'Benutzer',
  active: 'Aktive Benutzer',
  superadmins: 'Superadmins',
  sessions: 'Sitzungen jetzt',
  signIns: 'Anmeldungen pro Tag',
  chart: ({ total, day, count }) =>
    total === 0
      ? 'In den letzten 30 Tagen hat sich niemand angemeldet.'
      : total === 1
        ? `Eine Anmeldung in den letzten 30 Tagen, am ${day}.`
        : count === total
          ? `${total} Anmeldungen in den letzten 30 Tagen, alle am ${day}.`
          : `${total} Anmeldungen in den letzten 30 Tagen, die meisten am ${day}: ${count}.`,
  days: 'Zahlen der einzelnen Tage',
  day: 'Tag',
  count: 'Anzahl',
  refusals: 'Ablehnungen der letzten 24 Stunden',
  reason: 'Grund',
  noRefusals: 'Es wurde nichts abgelehnt.',
  service: 'Dieser Dienst',
  database: 'Datenbank',
  kindsOfDatabase: { sqlite: 'SQLite', postgres: 'PostgreSQL' },
  latency: (ms) => `antwortet in ${decimal(ms)}\u00a0ms`,
  feed: 'Änderungskanal',
  feedUp: 'Verbunden',
  feedDown: 'Getrennt',
  queue: 'Hash-Warteschlange',
  waits: (waiting, ms) => `${waiting} wartend, etwa ${ms}\u00a0ms`,
  version: 'Version',
  generated: 'Stand',
};
