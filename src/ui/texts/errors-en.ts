import type { ErrorName } from '../../errors/registry.ts';

/** What a page says about an error, and what the person can do next. */
export interface ErrorText {
  message: string;
  hint: string;
}

const incorrectSignIn = {
  message: 'Incorrect username or password',
  hint: 'Check your username and password for typing errors. Passwords are case-sensitive.',
};
const ourFault = 'Something went wrong on our side';
const tryLater = 'Please try again later.';
const reportIt = 'If the problem persists, give the request ID to your administrator.';
const passwordLength = 'A password has 8 to 255 characters.';
const startAgain = 'Start again in the program to get a new code.';

/**
 * The texts that pages show for errors, in English. An error that is missing here reaches only programs, and the registry
 * has its message.
 */
export const errorsEn: Partial<Record<ErrorName, ErrorText>> = {
  PASSWORD_INCORRECT: incorrectSignIn,
  USER_UNKNOWN: incorrectSignIn,
  ACCOUNT_INACTIVE: {
    message: 'Your account is inactive',
    hint: 'Ask an administrator to activate it.',
  },
  NOT_SIGNED_IN: { message: 'You are not signed in', hint: 'Sign in, then try again.' },
  LOGIN_FAILED: { message: ourFault, hint: `You are not signed in. Try again in a moment. ${reportIt}` },
  TOKEN_INVALID: {
    message: 'This API token is not valid',
    hint: 'The token is unknown, revoked or expired, or its user is inactive. Create a new one.',
  },
  OIDC_CLIENT_UNKNOWN: {
    message: 'This application is unknown',
    hint: 'The application is not registered here, or it is disabled. Ask the administrators of the application.',
  },
  OIDC_REDIRECT_URI_INVALID: {
    message: 'The application is not set up correctly',
    hint: 'The application sent a return address that is not registered for it. Ask the administrators of the application.',
  },
  OIDC_REQUEST_INVALID: {
    message: "The application's request is not valid",
    hint: 'Go back to the application and sign in there again.',
  },
  OIDC_REQUEST_EXPIRED: {
    message: 'This sign-in has expired',
    hint: 'Go back to the application and sign in there again.',
  },
  OIDC_TOKEN_INVALID: {
    message: 'This access token is not valid',
    hint: 'The token has expired, or your access grant has ended. Sign in to the application again.',
  },
  OIDC_SCOPE_MISSING: {
    message: 'This access token does not say who you are',
    hint: 'The application did not request the scope openid.',
  },
  OIDC_LOGOUT_INVALID: {
    message: 'The request to sign out is not valid',
    hint: 'The application sent an ID token or an address that does not belong to it. You are still signed in.',
  },
  USER_CODE_UNKNOWN: {
    message: 'This code is unknown',
    hint: 'Compare it with the code that the program or device shows, and enter it again.',
  },
  USER_CODE_INVALID: {
    message: 'This is not a valid code',
    hint: 'Enter the code that the program or device shows, such as BCDF-GHJK.',
  },
  DEVICE_ACTION_INVALID: { message: 'This choice is unknown', hint: 'Reload the page, then approve or deny.' },
  DEVICE_REQUEST_DECIDED: {
    message: 'This request was already approved or denied',
    hint: startAgain,
  },
  DEVICE_REQUEST_EXPIRED: {
    message: 'This request has expired',
    hint: `A code is valid for 15 minutes. ${startAgain}`,
  },
  SECOND_STEP_CODE_REQUIRED: {
    message: 'Enter the code',
    hint: 'The code has six digits. You can also use a recovery code.',
  },
  SECOND_STEP_CODE_MALFORMED: {
    message: 'This is not a valid code',
    hint: 'A code from your authenticator app has six digits. A recovery code has two groups of five characters.',
  },
  SECOND_STEP_CODE_INCORRECT: {
    message: 'The code is incorrect',
    hint: "Enter the latest code from your app. If it keeps failing, check your device's clock.",
  },
  FIRST_STEP_REQUIRED: {
    message: 'Your sign-in has ended',
    hint: 'Sign in again. You have ten minutes and five tries to enter the code.',
  },
  SECOND_STEP_MISCONFIGURED: {
    message: 'Your two-step sign-in is not set up correctly',
    hint: 'Ask an administrator to set it up again.',
  },
  SESSION_EXPIRED: { message: 'Your session has ended', hint: 'Sign in again.' },
  NOT_LOGGED_IN: { message: 'You are already signed out', hint: 'There is nothing left to do.' },
  LOGOUT_FAILED: { message: 'Signing out failed', hint: 'You are still signed in. Try again in a moment.' },
  SWITCH_TARGET_INVALID: {
    message: 'This account is not available',
    hint: 'Reload the page, then choose the account again.',
  },
  ACCOUNT_NOT_ON_DEVICE: {
    message: 'This account is not signed in here',
    hint: 'Sign in to it in this browser first.',
  },
  APP_NOT_ALLOWED: {
    message: 'You may not use this application',
    hint: 'Ask an administrator for access, or sign in with another account.',
  },
  SUPERADMIN_REQUIRED: {
    message: 'This page is for administrators',
    hint: 'Sign in with an account that has the superadmin role.',
  },
  CSRF_INVALID: {
    message: 'This page is out of date',
    hint: 'Try again. If that does not help, reload the page, and allow cookies for this site in your browser.',
  },
  CROSS_SITE_REQUEST: {
    message: 'This request came from another website',
    hint: 'Nothing was changed. To go on, open the page here and try again.',
  },
  HTTPS_REQUIRED: {
    message: 'This connection is not secure',
    hint: 'Open the page at its https address.',
  },
  HOST_NOT_ALLOWED: {
    message: 'This host name is not allowed',
    hint: 'While env=dev is set, open the service at localhost or at the host of BASE_URL.',
  },
  SESSION_REQUIRED: {
    message: 'You can do this only in a browser where you are signed in',
    hint: 'Use your browser instead of an API token.',
  },
  CONFIRMATION_REQUIRED: {
    message: 'Confirm that it is you',
    hint: 'Confirm in one of the listed ways, then try again. A confirmation is valid for ten minutes.',
  },
  CONFIRMATION_FAILED: {
    message: 'The confirmation failed',
    hint: 'The password or code is wrong, the code was already used, or the passkey was not accepted.',
  },
  CURRENT_PASSWORD_INCORRECT: {
    message: 'The current password is incorrect',
    hint: 'Check it for typing errors. Passwords are case-sensitive.',
  },
  PASSWORD_UNCHANGED: {
    message: 'This is your current password',
    hint: 'Choose another password.',
  },
  LAST_WAY_IN: {
    message: 'This is your last way to sign in',
    hint: 'Set a password or add another way to sign in first.',
  },
  CONNECTION_TAKEN: {
    message: 'This account is connected to another user',
    hint: 'Sign in to the provider with another account, or ask your administrator.',
  },
  CONNECTION_EXISTS: {
    message: 'You are already connected to this provider',
    hint: 'Disconnect it first.',
  },
  WEBHOOK_NOT_FOUND: {
    message: 'This webhook does not exist',
    hint: 'Check the id for typing errors. The webhook may already be removed.',
  },
  REF_UNKNOWN: { message: 'This entry does not exist', hint: 'The entry may already be removed. Reload the page.' },
  PROFILE_LOCKED: {
    message: 'You cannot change your profile',
    hint: 'Ask an administrator to change it.',
  },
  TOKEN_READ_ONLY: {
    message: 'This API token may only read',
    hint: 'To change something, use a token that may write.',
  },
  TOKEN_LIMIT_REACHED: {
    message: 'You have reached the limit of API tokens',
    hint: 'Revoke a token that you no longer need, or ask an administrator to do so. Then try again.',
  },
  DIAGNOSTICS_LOCKED: { message: 'Resetting is turned off', hint: 'To allow it, set dbLogs=true.' },
  EMAIL_INVALID: {
    message: 'This is not a valid e\u2011mail address',
    hint: 'An address looks like ada@example.com and has at most 254 characters.',
  },
  TWO_FACTOR_OFF: {
    message: 'Two-step sign-in is turned off here',
    hint: 'Ask an administrator to turn it on for the service.',
  },
  TOTP_NOT_STARTED: {
    message: 'No authenticator app is being set up',
    hint: 'Start the setup again. You then have ten minutes and five tries to enter a code from the app.',
  },
  TWO_FACTOR_NOT_ON: { message: 'No authenticator app is set up', hint: 'Set up an authenticator app first.' },
  TOKEN_APPS_NOT_ALLOWED: {
    message: 'You may not use one of these applications',
    hint: 'Reload the page, then choose applications from the list.',
  },
  ALLOWED_APPS_INVALID: {
    message: 'These applications cannot be chosen',
    hint: 'Choose at most 100 applications. For a token for administration, choose none.',
  },
  TOKEN_NAME_INVALID: { message: 'This name is not valid', hint: 'A name has 1 to 255 characters.' },
  TOKEN_SCOPE_INVALID: { message: 'This scope does not exist', hint: 'Choose one from the list.' },
  EXPIRES_DAYS_INVALID: {
    message: 'This number of days is not valid',
    hint: 'Enter a whole number from 1 to 3650. For a token for administration, the maximum is 30.',
  },
  MISSING_REQUIRED_FIELD: { message: 'Something is missing', hint: 'Fill in what is missing, then try again.' },
  FIELD_INVALID: { message: 'A field has an invalid value', hint: 'Check what you entered, then try again.' },
  BODY_INVALID: { message: 'The form could not be read', hint: 'Reload the page, then try again.' },
  BODY_TOO_LARGE: { message: 'The form is too large', hint: 'It can hold at most 64 KiB.' },
  CONTENT_TYPE_UNSUPPORTED: { message: 'The form could not be read', hint: 'Reload the page, then try again.' },
  CREDENTIALS_REQUIRED: { message: 'Enter your username and password', hint: 'Both are required.' },
  USERNAME_INVALID: {
    message: 'This is not a valid username',
    hint: 'A username has 1 to 255 characters.',
  },
  PASSWORD_TOO_SHORT: { message: 'This password is too short', hint: passwordLength },
  PASSWORD_TOO_LONG: { message: 'This password is too long', hint: passwordLength },
  URL_INVALID: { message: 'This address is not valid', hint: 'Check it for typing errors.' },
  HEADERS_TOO_LARGE: {
    message: 'Your browser sent too much data',
    hint: 'Delete the cookies of this site, then try again.',
  },
  PASSKEY_REFUSED: {
    message: 'Your passkey was not accepted',
    hint: 'Try again. If it fails again, sign in another way.',
  },
  PASSKEY_INVALID: { message: 'The passkey could not be added', hint: 'Start again.' },
  PASSKEY_TAKEN: { message: 'This passkey is in use', hint: 'Create a new one.' },
  LIMIT_REACHED: { message: 'The maximum number is reached', hint: 'Remove an existing entry first.' },
  SECOND_FACTOR_REQUIRED: {
    message: 'Your account must use two-step sign-in',
    hint: 'You cannot turn it off, but you can switch to another authenticator app.',
  },
  LINK_INVALID: {
    message: 'This link is not valid',
    hint: 'The link was already used, has expired or no longer applies. Ask for a new link.',
  },
  REQUEST_TOO_SLOW: { message: 'The request took too long', hint: 'Check your connection, then try again.' },
  TOO_MANY_LOGINS: { message: 'Too many attempts', hint: tryLater },
  TOO_MANY_LOGOUTS: { message: 'Too many attempts to sign out', hint: tryLater },
  TOO_MANY_CODES: { message: 'Too many codes', hint: tryLater },
  TOO_MANY_REQUESTS: { message: 'Too many requests', hint: tryLater },
  OVERLOADED: { message: 'The service is busy', hint: tryLater },
  APP_CREDENTIALS_INVALID: {
    message: 'This address is for applications',
    hint: 'Open the application that you want to use.',
  },
  APP_THIRD_PARTY: {
    message: 'The application belongs to a third party',
    hint: 'Third-party applications may not ask who is signed in.',
  },
  PROXY_NOT_TRUSTED: {
    message: 'This address is for proxies',
    hint: 'Open the application that you want to use.',
  },
  ORIGINAL_REQUEST_INVALID: {
    message: 'This address is for proxies',
    hint: 'Open the application that you want to use.',
  },
  ROLE_NOT_ALLOWED: {
    message: 'Your role has no access to this part of the application',
    hint: 'Ask an administrator for access, or sign in with another account.',
  },
  INTERNAL_ERROR: { message: ourFault, hint: `Try again in a moment. ${reportIt}` },
  NOT_FOUND: { message: 'Page not found', hint: 'Check the address for typing errors.' },
  METHOD_NOT_ALLOWED: { message: 'This address is for programs', hint: 'You cannot open it in a browser.' },
  SOCIAL_START_UNKNOWN: {
    message: 'This sign-in cannot be continued in this browser',
    hint: 'It started in another browser or more than ten minutes ago, it was already refused, or your browser stores no cookies for this site. Sign in again.',
  },
  SOCIAL_START_USED: {
    message: 'This sign-in is already complete',
    hint: 'Continue in the application, or sign in again.',
  },
  PROVIDER_OFF: {
    message: 'Signing in through this provider is turned off',
    hint: 'Sign in with your username and password, or through another provider.',
  },
  PROVIDER_MISCONFIGURED: {
    message: 'Signing in through this provider is not set up correctly',
    hint: 'Sign in with your username and password, and tell an administrator. The log of the service names the reason.',
  },
  PROVIDER_CANCELLED: {
    message: 'You cancelled the sign-in at the provider',
    hint: 'You can start again, or sign in with your username and password.',
  },
  PROVIDER_ACCOUNT_NOT_LINKED: {
    message: 'This provider account is not linked to an account here',
    hint: 'Sign in another way, then connect the provider account under Connections in your account, or ask an administrator to do it.',
  },
  PROVIDER_CODE_INVALID: {
    message: "The provider's confirmation is no longer valid",
    hint: 'The confirmation has expired or was already used. Sign in again.',
  },
  PROVIDER_PROOF_INVALID: {
    message: 'The provider did not prove who you are',
    hint: `You are not signed in, because its answer could not be verified. Sign in again. ${reportIt}`,
  },
  PROVIDER_ANSWER_INVALID: {
    message: "The provider's answer could not be understood",
    hint: `Sign in with your username and password, or try again later. ${reportIt}`,
  },
  PROVIDER_UNREACHABLE: {
    message: 'The provider cannot be reached',
    hint: 'Sign in with your username and password, or try again in a minute.',
  },
  TOKEN_NOT_FOUND: {
    message: 'This API token does not exist',
    hint: 'The token may already be revoked, or it belongs to another user.',
  },
  USER_NOT_FOUND: { message: 'This user does not exist', hint: 'Check the name for typing errors.' },
  CURSOR_INVALID: { message: 'This page of the list does not exist', hint: 'Start the list again from its beginning.' },
  TOKEN_SCOPE_REQUIRED: {
    message: 'The scope of the API token does not allow this',
    hint: 'Sign in as a superadmin instead.',
  },
  APPLICATION_NOT_FOUND: { message: 'This application does not exist', hint: 'Check the key for typing errors.' },
  ID_INVALID: { message: 'This address is not valid', hint: 'Check the number in it for typing errors.' },
  TOTP_CODE_INCORRECT: {
    message: 'The code is incorrect',
    hint: "Enter the latest code from your app. If it keeps failing, check your device's clock.",
  },
  PASSWORD_TOO_COMMON: {
    message: 'This password is too easy to guess',
    hint: 'Choose a password that is not common and that is not your name or the name of the application.',
  },
  APP_UNKNOWN: {
    message: 'This application does not exist',
    hint: 'The application is not registered, or it is disabled.',
  },
};
