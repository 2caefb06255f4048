/** English texts of the page that confirms an e-mail address. */
export const en = {
  title: 'Confirm your e\u2011mail address',
  lede: (username: string, appName: string) => `This address is for the account ${username} at ${appName}.`,
  email: 'E-mail address',
  hint: 'If this is not your account, close this page. Then nothing changes.',
  submit: 'Confirm address',
  doneTitle: 'E-mail address confirmed',
  done: 'The account uses this address from now on.',
  account: 'Go to your account',
};
