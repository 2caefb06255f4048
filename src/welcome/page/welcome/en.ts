/** English texts of the page where a user with a link chooses a password. */
export const en = {
  title: { invite: 'Welcome', reset: 'New password' },
  lede: {
    invite: (username: string, appName: string) => `Choose a password for your account ${username} at ${appName}.`,
    reset: (username: string, appName: string) => `Choose a new password for your account ${username} at ${appName}.`,
  },
  username: 'Username',
  newPassword: 'New password',
  newPasswordHint: 'At least 8 characters. Your name and common passwords are not accepted.',
  code: 'Code',
  codeHint: 'Six digits from your authenticator app, or one of your recovery codes.',
  ends: 'This signs you in here and out everywhere else.',
  submit: 'Set password and sign in',
  or: 'or',
  usePasskey: 'Use a passkey instead',
  passkeyHint: {
    invite: 'You then sign in with your fingerprint, face or screen lock, and need no password.',
    reset: 'You then sign in with your fingerprint, face or screen lock. Your old password stops working.',
  },
  browser: {
    passkeyCancelled: 'No passkey was created',
    passkeyCancelledHint: 'Try again, or choose a password.',
    signingIn: 'Signing in…',
  },
};
