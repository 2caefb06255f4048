/** Texts of the page in English. */
export const en = {
  title: 'Two-step verification',
  lede: (username: string) => `One more step to sign in as ${username}.`,
  code: 'Code',
  codeHint: 'Six digits from the authenticator app.',
  trustBrowser: (days: number): string =>
    days === 1 ? 'Trust this device for 1 day' : `Trust this device for ${days} days`,
  trustHint: 'Only on a device that nobody else uses.',
  submit: 'Verify',
  useRecovery: 'Use a recovery code',
  someoneElse: 'Sign in as someone else',
  noScript: 'Verifying needs JavaScript. Turn it on for this site and reload the page.',
  browser: {
    recoveryCodeHint: 'One of the recovery codes you were given, such as ABCDE-23456. Each works once.',
    recoveryCodeIncorrect: 'Check it for typing errors. Each recovery code works once.',
    triesLeft: 'Tries left: {count}',
    verifying: 'Verifying…',
    waitedTooLong: 'That sign-in waited more than ten minutes for its code and is over. Please begin again.',
    startOver: 'Your sign-in has run out. Taking you back to the sign-in page…',
    recoveryCode: 'Recovery code',
    useRecovery: 'Use a recovery code',
    useApp: 'Use the authenticator app',
    code: 'Code',
  },
};
