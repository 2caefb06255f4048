/** English texts of the page that sets up a second factor during a sign-in. */
export const en = {
  title: 'Set up an authenticator app',
  lede: (username: string) => `The account ${username} needs two-step sign-in.`,
  begin: 'Show the QR code',
  scan: 'Scan this QR code with the app on your phone.',
  qrCode: 'QR code for your authenticator app',
  type: 'If you cannot scan it, type this key into the app:',
  copyKey: 'Copy the key',
  code: 'Code',
  codeHint: 'The six digits that the app shows.',
  trustBrowser: (days: number): string =>
    days === 1 ? 'Trust this browser for 1 day' : `Trust this browser for ${days} days`,
  trustHint: 'Only on a device that no one else uses.',
  submit: 'Verify and sign in',
  someoneElse: 'Sign in with another account',
  doneTitle: 'Save your recovery codes',
  doneLede:
    'You are signed in. If you lose your phone, each of these codes signs you in once. They are not shown again.',
  copyCodes: 'Copy the codes',
  save: 'Save as a file',
  print: 'Print',
  goOn: 'I saved the codes',
  browser: {
    preparing: 'Preparing…',
    verifying: 'Verifying…',
    startOver: 'Taking you back to the sign-in page…',
    fileName: 'recovery-codes.txt',
  },
};
