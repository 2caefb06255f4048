/** English texts of the sign-out page. */
export const en = {
  title: 'Sign out?',
  lede: 'You are signed in with this account.',
  current: 'Sign out of this account',
  all: 'Sign out of all accounts in this browser',
  stay: 'Stay signed in',
};
