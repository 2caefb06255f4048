/**
 * The texts that all pages share, in English. Texts with values are functions; those under `browser` are for scripts
 * and take their values as {name}.
 */
export const en = {
  layout: {
    madeBy: (version: string) => `authsvc ${version}`,
    help: 'Help',
    noScript: 'This page needs JavaScript. Turn it on for this site, then reload the page.',
  },
  dialog: {
    cancel: 'Cancel',
  },
  confirmation: {
    title: 'Confirm that it is you',
    text: 'This change needs a proof of your identity. It then counts for ten minutes in this browser.',
    usePasskey: 'Use your passkey',
    or: 'or',
    password: 'Your password',
    code: 'Code',
    codeHint: 'Six digits from your authenticator app, or one of your recovery codes.',
    signInAgain: (provider: string) => `Sign in again through ${provider}`,
    providerHint: 'It opens in a new tab. Come back here afterwards and continue.',
    noWay: 'You have no way to confirm. Ask your administrator for help.',
    submit: 'Continue',
  },
  console: {
    label: 'Console',
    pages: {
      overview: 'Overview',
      users: 'Users',
      applications: 'Applications',
      profiles: 'Profiles',
      tokens: 'API tokens',
      sessions: 'Sessions',
      webhooks: 'Webhooks',
      audit: 'Audit log',
    },
  },
  pagination: {
    label: 'Pages',
    previous: 'Previous',
    next: 'Next',
  },
  browser: {
    loggedOut: '{name} is signed out.',
    showPassword: 'Show password',
    hidePassword: 'Hide password',
    capsLock: 'Caps Lock is on',
    working: 'One moment…',
    unreachable: 'The service cannot be reached. Check your connection, then try again.',
    unexpected: 'Something went wrong. Try again.',
    noCookies: 'Your browser does not store cookies for this site. Allow them, then reload the page.',
    tryAgain: 'Try again',
    waitMessage: 'You can try again in {time}.',
    tryAgainNow: 'You can try again now.',
    copied: 'Copied',
    notCopied: 'Could not copy',
    justNow: 'just now',
    passkeyWaiting: 'Waiting for your passkey…',
    passkeyCancelled: 'No passkey was used',
    passkeyFailed: 'Passkeys do not work in this browser at this address',
  },
};
