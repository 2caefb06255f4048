/** English texts of the page that approves a device login. */
export const en = {
  /** The page writes the name of the program between the two parts. */
  question: ['Let', 'sign in?'],
  quoted: (name: string) => `“${name}”`,
  questionTitle: 'Let a program sign in?',
  as: 'The program gets access to this account:',
  switchAccount: 'Switch account',
  compare: 'Compare this code with the code that the program shows:',
  /** The parameter of each text says how long the access lasts. */
  grants: {
    'read-only': (days: string) => `The program can read your data for ${days}.`,
    write: (days: string) => `The program can read and change your data for ${days}.`,
  },
  warning:
    'Did someone send you this link or code? Then choose Deny. Approving would give them access to your account.',
  approve: 'Approve',
  deny: 'Deny',
  details: 'Details',
  program: 'Program',
  profile: 'Profile',
  apps: 'Applications',
  noApps: 'None that you may use',
  validFor: 'Valid for',
  days: (days: number): string => (days === 1 ? '1 day' : `${days} days`),
  address: 'IP address',
  requested: 'Requested',
  start: 'Go to the start page',
  again: 'Enter another code',
  approvedTitle: 'Approved',
  approvedNow: (client: string) => `${client} is signing in. You can close this page and go back to the program.`,
  deniedTitle: 'Denied',
  deniedNow: (client: string) => `${client} gets no access. You can close this page.`,
  title: {
    approved: 'This request was approved',
    denied: 'This request was denied',
    completed: 'The program is signed in',
    expired: 'This code is no longer valid',
  },
  lede: {
    approved: 'The program is signing in. You can close this page.',
    denied: 'The program got no access. To sign in after all, start again in the program.',
    completed: 'You can close this page.',
    expired: 'A code is valid for at most 15 minutes. Start again in the program to get a new one.',
  },
};
