/** English texts of the page that lists the person's applications. */
export const en = {
  title: 'Applications',
  lede: 'The applications that you may use.',
  none: 'You may not use any application yet. Ask an administrator for access.',
  account: 'Go to your account',
};
