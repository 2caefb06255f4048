/** Texts of the page in English. */
export const en = {
  about: 'Error code',
  requestId: 'Request ID',
  copyRequestId: 'Copy request ID',
  signIn: 'Go to the sign-in page',
  switchAccount: 'Switch account',
  start: 'Go to the start page',
  continue: 'Continue',
  notLinked: (provider: string) => `Your ${provider} account is not linked to an account here`,
  provider: 'Provider',
  providerAccount: (provider: string) => `Account at ${provider}`,
  copyProviderAccount: 'Copy the account at the provider',
  details: 'Details for support',
  browser: {
    waitButton: 'Try again in {time}',
  },
};
