/** English texts of the page for a forgotten password. */
export const en = {
  title: 'Forgot your password?',
  lede: 'Enter your username or your e\u2011mail address. You get a link to choose a new password.',
  username: 'Username or e\u2011mail address',
  usernameRequired: 'Enter your username or your e\u2011mail address',
  submit: 'Send link',
  sentTitle: 'Check your mailbox',
  sent: 'If there is an account with a confirmed e\u2011mail address, a link is on its way. It works for two hours. An account gets at most three links in an hour.',
  back: 'Back to sign-in',
};
