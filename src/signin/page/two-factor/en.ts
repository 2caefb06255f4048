/** English texts of the page of the second step. */
export const en = {
  title: 'Two-step sign-in',
  lede: (username: string) => `to sign in as ${username}`,
  code: 'Code',
  codeHint: 'Six digits from your authenticator app.',
  atOnce: 'The code is sent as soon as it is complete.',
  trustBrowser: (days: number): string =>
    days === 1 ? 'Trust this browser for 1 day' : `Trust this browser for ${days} days`,
  trustHint: 'Only on a device that no one else uses.',
  submit: 'Verify',
  useRecovery: 'Use a recovery code',
  someoneElse: 'Sign in with another account',
  browser: {
    recoveryCodeHint: 'One of the recovery codes that you saved, such as ABCDE\u201123456. Each works once.',
    recoveryCodeIncorrect: 'Check it for typing errors. Each recovery code works once.',
    triesLeft: '{count} tries left',
    lastTry: '1 try left',
    verifying: 'Verifying…',
    startOver: 'Taking you back to the sign-in page…',
    recoveryCode: 'Recovery code',
    useRecovery: 'Use a recovery code',
    useApp: 'Use your authenticator app',
    code: 'Code',
    codeHint: 'Six digits from your authenticator app.',
  },
};
