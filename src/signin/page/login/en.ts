/** Texts of the page in English. */
export const en = {
  title: 'Sign in',
  lede: (appName: string) => `to continue to ${appName}`,
  ledeDevice: 'to decide whether a program may sign in',
  /** In parts that stay together where the line has room for them. */
  signedInAs: (username: string): string[] => ['You are signed in', `as ${username}`],
  continue: 'Continue',
  switchAccount: 'Switch account',
  add: 'Add another account',
  continueAs: (username: string) => `Continue as ${username}`,
  addAnother: 'or add another account',
  username: 'Username',
  password: 'Password',
  submit: 'Sign in',
  submitAnother: 'Sign in to another account',
  or: 'or',
  continueWith: (provider: string) => `Continue with ${provider}`,
  lastUsed: 'Last used',
  beginAgain: {
    guesses: 'Too many wrong codes. Please sign in again.',
    time: 'That sign-in waited more than ten minutes for its code and is over. Please begin again.',
  },
  noScript: 'Signing in with a password needs JavaScript. Turn it on for this site and reload the page.',
  browser: {
    usernameRequired: 'Enter your username',
    passwordRequired: 'Enter your password',
    passwordTooShort: 'A password has at least 8 characters',
    signingIn: 'Signing in…',
  },
};
