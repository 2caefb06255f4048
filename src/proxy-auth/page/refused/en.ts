/** Texts of the page in English. */
export const en = {
  signedOut: 'You are not signed in',
  formLost: 'Sign in, go back to the form, and send it again.',
  title: 'No access',
  signedInAs: (username: string) => `You are signed in as ${username}.`,
  reasons: {
    NOT_SIGNED_IN: 'Sign in to continue.',
    APP_NOT_ALLOWED: 'This account may not use the application.',
    ROLE_NOT_ALLOWED: 'The role of this account does not allow this.',
    TOKEN_READ_ONLY: 'The API token may only read.',
  },
  signIn: 'Sign in',
  another: 'Use another account',
  back: 'Try again',
};
