import type { en } from './en.ts';

/** German texts of the query monitor. */
export const de: typeof en = {
  title: 'Datenbankabfragen',
  lede: 'Die neuesten Datenbankabfragen dieses Prozesses und ihre Dauer. Diese Seite gibt es nur, solange env=dev gesetzt ist.',
  wasReset: 'Das Protokoll wurde geleert.',
  filter: 'Abfragen filtern',
  filterHint: 'Name, SQL, Pfad, Benutzer',
  slowest: 'Längste zuerst',
  failures: 'Nur Fehler',
  pause: 'Anhalten',
  resume: 'Fortsetzen',
  reset: 'Leeren',
  count: 'Abfragen bisher',
  loaded: 'Aufgelistet',
  failed: 'Fehlgeschlagen',
  longest: 'Längste',
  ms: (milliseconds) => `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0).replace('.', ',')} ms`,
  requests: 'Anfragen mit den meisten Abfragen',
  perRequest: (queries, milliseconds) =>
    `${queries === 1 ? '1 Abfrage' : `${queries} Abfragen`}, ${milliseconds.toFixed(milliseconds < 10 ? 2 : 0).replace('.', ',')} ms`,
  ofRequest: ({ position, queries }) => `${position} von ${queries} in dieser Anfrage`,
  queries: 'Abfragen',
  background: 'Vom Dienst selbst',
  failure: 'Fehlgeschlagen',
  sql: 'SQL',
  values: 'Werte',
  callsite: 'Aufgerufen von',
  by: 'Benutzer',
  nobody: 'Niemand',
  user: (username, id) => `${username} (${id})`,
  pool: 'Verbindungen',
  connections: ({ total, idle, waiting }) => `${total} offen, ${idle} frei, ${waiting} wartend`,
  none: 'Keine passende Abfrage.',
  noneYet:
    'Seit dem Start oder dem letzten Leeren gab es keine Abfrage. Abfragen erscheinen hier, sobald der Dienst benutzt wird.',
  nonePaused:
    'Seit dem Start oder dem letzten Leeren gab es keine Abfrage. Setzen Sie die Anzeige fort, um neue zu sehen.',
  noneFailed: 'Keine Abfrage in der Liste ist fehlgeschlagen.',
  browser: {
    foundQueries: '{count} von {total} Abfragen',
    paused: 'Angehalten',
  },
};
