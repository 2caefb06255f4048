/** English texts of the console overview. */
export const en = {
  title: 'Overview',
  attention: 'Needs attention',
  kinds: {
    superadmin_without_second_factor: (count: number) =>
      count === 1
        ? '1 superadmin has not set up two\u2011step sign\u2011in'
        : `${count} superadmins have not set up two\u2011step sign\u2011in`,
    token_expiring: (count: number) =>
      count === 1 ? '1 API token expires within 7 days' : `${count} API tokens expire within 7 days`,
    mail_waiting: (count: number) =>
      count === 1
        ? '1 e\u2011mail is waiting because it could not be sent'
        : `${count} e\u2011mails are waiting because they could not be sent`,
    webhook_failing: (count: number) => (count === 1 ? '1 webhook is failing' : `${count} webhooks are failing`),
  },
  show: 'Show',
  numbers: 'Numbers',
  users: 'Users',
  active: 'Active users',
  superadmins: 'Superadmins',
  sessions: 'Sessions now',
  signIns: 'Sign-ins per day',
  chart: ({ total, day, count }: { total: number; day: string; count: number }) =>
    total === 0
      ? 'No one signed in during the last 30 days.'
      : total === 1
        ? `One sign-in in the last 30 days, on ${day}.`
        : count === total
          ? `${total} sign-ins in the last 30 days, all on ${day}.`
          : `${total} sign-ins in the last 30 days, the most on ${day}: ${count}.`,
  days: 'Numbers for each day',
  day: 'Day',
  count: 'Number',
  refusals: 'Refusals in the last 24 hours',
  reason: 'Reason',
  noRefusals: 'Nothing was refused.',
  service: 'This service',
  database: 'Database',
  kindsOfDatabase: { sqlite: 'SQLite', postgres: 'PostgreSQL' },
  latency: (ms: number) => `answers in ${ms}\u00a0ms`,
  feed: 'Change feed',
  feedUp: 'Up',
  feedDown: 'Down',
  queue: 'Hash queue',
  waits: (waiting: number, ms: number) => `${waiting} waiting, about ${ms}\u00a0ms`,
  version: 'Version',
  generated: 'As of',
};
