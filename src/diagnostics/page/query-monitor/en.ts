/** Texts of the page in English. */
export const en = {
  title: 'Query monitor',
  lede: 'The last database queries of this process, with what they cost. It is here only because env=dev is set.',
  wasReset: 'The query log was reset.',
  filter: 'Filter queries',
  filterHint: 'Name, SQL, path or user',
  slowest: 'Slowest first',
  failures: 'Failures only',
  pause: 'Pause',
  resume: 'Resume',
  reset: 'Reset',
  count: 'Run so far',
  loaded: 'In the list',
  failed: 'Failed',
  longest: 'Slowest',
  ms: (milliseconds: number): string => `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`,
  requests: 'Requests with the most queries',
  perRequest: (queries: number, milliseconds: number): string =>
    `${queries === 1 ? '1 query' : `${queries} queries`}, ${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`,
  ofRequest: ({ position, queries }: { position: number; queries: number }) =>
    `${position} of ${queries} in this request`,
  queries: 'Queries',
  background: 'Work of the service itself',
  failure: 'Failed',
  sql: 'SQL',
  values: 'Values',
  callsite: 'Called by',
  by: 'Signed in',
  nobody: 'Nobody',
  user: (username: string, id: number | null) => `${username} (${id})`,
  pool: 'Connections',
  connections: ({ total, idle, waiting }: { total: number; idle: number; waiting: number }) =>
    `${total} open, ${idle} idle, ${waiting} waiting`,
  none: 'No query matches.',
  noneYet:
    'No query has run since the start or the last reset. Use the service, and what it asks the database appears here.',
  nonePaused: 'No query has run since the start or the last reset. While the monitor is paused, none appears here.',
  noneFailed: 'No query in the list failed.',
  browser: {
    foundQueries: '{count} of {total} queries',
    paused: 'Paused',
  },
};
