import type { en } from './en.ts';

/** Texts of the page in German. */
export const de: typeof en = {
  title: 'Datenbankabfragen',
  lede: 'Die letzten Abfragen dieses Prozesses und was sie kosten. Nur zu sehen, weil env=dev gesetzt ist.',
  wasReset: 'Das Protokoll wurde geleert.',
  filter: 'Abfragen filtern',
  filterHint: 'Name, SQL, Pfad, Person',
  slowest: 'Längste zuerst',
  failures: 'Nur Fehler',
  pause: 'Anhalten',
  resume: 'Fortsetzen',
  reset: 'Leeren',
  count: 'Bisher gelaufen',
  loaded: 'In der Liste',
  failed: 'Fehlgeschlagen',
  longest: 'Längste',
  ms: (milliseconds) => `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0).replace('.', ',')} ms`,
  requests: 'Anfragen mit den meisten Abfragen',
  perRequest: (queries, milliseconds) =>
    `${queries === 1 ? '1 Abfrage' : `${queries} Abfragen`}, ${milliseconds.toFixed(milliseconds < 10 ? 2 : 0).replace('.', ',')} ms`,
  ofRequest: ({ position, queries }) => `${position} von ${queries} in dieser Anfrage`,
  queries: 'Abfragen',
  background: 'Arbeit des Dienstes selbst',
  failure: 'Fehlgeschlagen',
  sql: 'SQL',
  values: 'Werte',
  callsite: 'Aufgerufen von',
  by: 'Angemeldet',
  nobody: 'Niemand',
  user: (username, id) => `${username} (${id})`,
  pool: 'Verbindungen',
  connections: ({ total, idle, waiting }) => `${total} offen, ${idle} frei, ${waiting} wartend`,
  none: 'Keine passende Abfrage.',
  noneYet:
    'Seit dem Start oder dem letzten Leeren gab es keine Abfrage. Benutzen Sie den Dienst, und was er die Datenbank fragt, erscheint hier.',
  nonePaused:
    'Seit dem Start oder dem letzten Leeren gab es keine Abfrage. Solange angehalten ist, erscheint hier keine.',
  noneFailed: 'Keine Abfrage in der Liste ist fehlgeschlagen.',
  browser: {
    foundQueries: '{count} von {total} Abfragen',
    paused: 'Angehalten',
  },
};
