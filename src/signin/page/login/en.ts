/** Texts of the page in English. */
export const en = {
  title: 'Sign in',
  lede: (appName: string) => `to continue to ${appName}`,
  ledeDevice: 'to decide whether a program may sign in',
  signedIn: 'You are signed in',
  continue: 'Continue',
  useAnother: 'Use another account',
  add: 'Add another account',
  addLede: (username: string) => `You stay signed in as ${username}.`,
  continueAs: (username: string) => `Continue as ${username}`,
  username: 'Username',
  password: 'Password',
  submit: 'Sign in',
  forgot: 'Forgot your password?',
  or: 'or',
  continueWith: (provider: string) => `Continue with ${provider}`,
  lastUsed: 'Last used',
  beginAgain: {
    guesses: 'You entered too many wrong codes. Sign in again.',
    time: 'Your sign-in timed out. Sign in again.',
  },
  browser: {
    usernameRequired: 'Enter your username',
    passwordRequired: 'Enter your password',
    signingIn: 'Signing in…',
  },
};
