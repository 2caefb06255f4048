import { errorRegistry } from '../../errors/registry.ts';

const incorrectSignIn = { message: 'Incorrect username or password', hint: errorRegistry.PASSWORD_INCORRECT.hint };
const tryLater = 'Please try again later.';

/**
 * Every text of every page in English. Texts with values are functions; those under `browser` are for the scripts in
 * the page and take their values as {name}.
 */
export const en = {
  layout: {
    madeBy: (version: string) => `authsvc ${version}`,
  },
  dialog: {
    cancel: 'Cancel',
  },
  /** Where the pages say a refusal more plainly than the service says it to programs. */
  plainErrors: {
    PASSWORD_INCORRECT: incorrectSignIn,
    USER_UNKNOWN: incorrectSignIn,
    APP_NOT_ALLOWED: {
      message: 'You may not use this application',
      hint: 'Ask an administrator for access, or sign in with another account.',
    },
    USER_CODE_UNKNOWN: {
      message: 'This code is not known',
      hint: 'Compare it with the one that the program shows, and enter it again.',
    },
    SECOND_STEP_CODE_REQUIRED: {
      message: 'Enter the code',
      hint: 'Six digits from the authenticator app, or a recovery code.',
    },
    SECOND_STEP_CODE_MALFORMED: {
      message: 'This is not a valid code',
      hint: 'A code from the authenticator app has six digits; a recovery code has two groups of five characters.',
    },
    SECOND_STEP_CODE_INCORRECT: {
      message: 'The code is wrong',
      hint: 'Take the newest code; each works once. Check that the clock of your device is right.',
    },
    SECOND_STEP_MISCONFIGURED: {
      message: 'Your second step is not set up correctly',
      hint: errorRegistry.SECOND_STEP_MISCONFIGURED.hint,
    },
    PASSWORD_TOO_SHORT: { message: 'A password has at least 8 characters', hint: 'Check it for typing errors.' },
    TOO_MANY_LOGINS: { message: 'Too many attempts', hint: tryLater },
    TOO_MANY_LOGOUTS: { message: 'Too many attempts to sign out', hint: tryLater },
    TOO_MANY_CODES: { message: 'Too many codes', hint: tryLater },
    TOO_MANY_REQUESTS: { message: 'Too many requests', hint: tryLater },
    OVERLOADED: { message: 'The service is busy', hint: tryLater },
    LOGIN_FAILED: {
      message: 'Something went wrong on our side',
      hint: 'Nobody was signed in. Try again in a moment.',
    },
    INTERNAL_ERROR: {
      message: 'Something went wrong on our side',
      hint: 'Try again in a moment. If the problem persists, give the request ID to your administrator.',
    },
    METHOD_NOT_ALLOWED: {
      message: 'This address is for programs',
      hint: 'It cannot be opened in a browser.',
    },
    NOT_FOUND: {
      message: 'Page not found',
      hint: 'Check the address for typing errors.',
    },
    URL_INVALID: {
      message: 'This address cannot be read',
      hint: 'Check it for typing errors.',
    },
  },
  browser: {
    loggedOut: '{name} is signed out.',
    codeRequired: 'Enter the code',
    codeInvalid: 'This is not a valid code',
    showPassword: 'Show password',
    hidePassword: 'Hide password',
    capsLock: 'Caps Lock is on.',
    working: 'One moment…',
    unreachable: 'The service cannot be reached. Check your connection, then try again.',
    unexpected: 'Something went wrong. Try again.',
    stale: 'This page is out of date. Reload it, then try again.',
    tryAgain: 'Try again',
    waitMessage: 'You can try again in {time}.',
    tryAgainNow: 'You can try again now.',
    copied: 'Copied',
    notCopied: 'Could not copy',
    justNow: 'just now',
  },
};
