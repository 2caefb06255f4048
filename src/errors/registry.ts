/**
 * An entry of the table of all errors. Names and numbers are public: once released, they never change their
 * meaning, and a number is never reused. The list at /authsvc/ErrorCode and docs/errors.md are generated from this
 * table.
 */
export interface ErrorEntry {
  number: number;
  status: number;
  message: string;
  /** What the user or the developer can do about the error. */
  hint: string;
}

export const errorCategories = [
  { name: 'Authentication', from: 600, to: 699 },
  { name: 'Two-factor authentication', from: 700, to: 799 },
  { name: 'Session management', from: 800, to: 899 },
  { name: 'Authorization', from: 900, to: 999 },
  { name: 'Input validation', from: 1000, to: 1099 },
  { name: 'Rate limiting', from: 1100, to: 1199 },
  { name: 'Server', from: 1200, to: 1299 },
  { name: 'OAuth', from: 1300, to: 1399 },
] as const;

const incorrectSignIn = {
  message: 'Incorrect Username Or Password',
  hint: 'Check the username and the password for typing errors. Passwords are case-sensitive.',
};

const entries = {
  PASSWORD_INCORRECT: { number: 601, status: 401, ...incorrectSignIn },
  USER_UNKNOWN: { number: 602, status: 404, ...incorrectSignIn },
  ACCOUNT_INACTIVE: {
    number: 603,
    status: 403,
    message: 'Account is inactive',
    hint: 'Ask an administrator to activate the account.',
  },
  NOT_SIGNED_IN: {
    number: 604,
    status: 401,
    message: 'Please sign in first',
    hint: 'There is no valid session. Sign in, then try again.',
  },
  LOGIN_FAILED: {
    number: 605,
    status: 500,
    message: 'Internal Server Error',
    hint: 'The sign-in failed because of a fault in the service. Try again in a moment. If it fails again, report the request ID.',
  },
  TOKEN_INVALID: {
    number: 610,
    status: 401,
    message: 'Invalid or expired API token',
    hint: 'The token is unknown, revoked or expired, or its user is inactive. Create a new one.',
  },
  USER_CODE_UNKNOWN: {
    number: 611,
    status: 404,
    message: 'There is no request with this code',
    hint: 'Compare it with the code that the program or device shows, and enter it again.',
  },
  DEVICE_CODE_UNKNOWN: {
    number: 612,
    status: 404,
    message: 'There is no request with this device code',
    hint: 'Start the device login again to get a new device code.',
  },
  DEVICE_REQUEST_DECIDED: {
    number: 613,
    status: 409,
    message: 'This request was already approved or denied',
    hint: 'A request can be approved or denied only once. The field status contains the decision.',
  },
  DEVICE_REQUEST_EXPIRED: {
    number: 614,
    status: 410,
    message: 'This request has expired',
    hint: 'A code is valid for 15 minutes. Start the device login again to get a new one.',
  },

  LINK_INVALID: {
    number: 640,
    status: 404,
    message: 'The link is not valid',
    hint: 'The link was already used, has expired or no longer applies. Ask for a new link.',
  },
  MAIL_OFF: {
    number: 642,
    status: 409,
    message: 'Mail is not set up',
    hint: 'Set SMTP_URL and MAIL_FROM to send mail.',
  },
  EMAIL_MISSING: {
    number: 643,
    status: 409,
    message: 'The user has no e-mail address',
    hint: 'Add an e-mail address to the user first.',
  },
  USER_HAS_WAY_IN: {
    number: 641,
    status: 409,
    message: 'The user can sign in already',
    hint: 'An invitation is only for a user who has no password and no other way to sign in. Create a reset link instead.',
  },
  PASSKEY_REFUSED: {
    number: 644,
    status: 401,
    message: 'The passkey was not accepted',
    hint: 'Try again. If it fails again, sign in another way, because the passkey may have been removed from the account.',
  },

  SECOND_STEP_CODE_REQUIRED: {
    number: 701,
    status: 400,
    message: '2FA token is required',
    hint: 'Enter the six digits from your authenticator app, or a recovery code.',
  },
  SECOND_STEP_CODE_MALFORMED: {
    number: 702,
    status: 400,
    message: 'Invalid 2FA token format',
    hint: 'A code has six digits. A recovery code has two groups of five characters.',
  },
  SECOND_STEP_CODE_INCORRECT: {
    number: 703,
    status: 401,
    message: 'Invalid 2FA code',
    hint: "Enter the latest code from your app. If it keeps failing, check your device's clock.",
  },
  FIRST_STEP_REQUIRED: {
    number: 704,
    status: 401,
    message: 'Not authorized. Please login first.',
    hint: 'Start again at the sign-in page. You have ten minutes and five tries for the second step.',
  },
  SECOND_STEP_MISCONFIGURED: {
    number: 705,
    status: 500,
    message: '2FA is not configured correctly.',
    hint: 'Ask an administrator to set up your second factor again.',
  },
  TWO_FACTOR_NOT_ON: {
    number: 706,
    status: 409,
    message: 'No second factor is set up',
    hint: 'Set up an authenticator app first.',
  },
  TWO_FACTOR_OFF: {
    number: 707,
    status: 403,
    message: 'Two-step verification is off',
    hint: 'Ask an administrator to turn it on for the service.',
  },
  TOTP_NOT_STARTED: {
    number: 708,
    status: 409,
    message: 'No authenticator app is being set up',
    hint: 'Start the setup again. You then have ten minutes and five tries to enter a code from the app.',
  },
  TOTP_CODE_INCORRECT: {
    number: 709,
    status: 403,
    message: 'The code is not right',
    hint: "Enter the latest code from your app. If it keeps failing, check your device's clock.",
  },
  SECOND_FACTOR_REQUIRED: {
    number: 710,
    status: 403,
    message: 'Your account must have a second factor',
    hint: 'You cannot remove the second factor, but you can switch to another authenticator app.',
  },

  SESSION_EXPIRED: {
    number: 801,
    status: 401,
    message: 'Session expired',
    hint: 'Sign in again.',
  },
  SESSION_INVALID: {
    number: 802,
    status: 400,
    message: 'Invalid session',
    hint: 'session_id must be a session UUID or, with is_encrypt, the value of the session_id cookie.',
  },
  NOT_LOGGED_IN: {
    number: 803,
    status: 400,
    message: 'Not logged in',
    hint: 'There is no session to end. The session may already have ended.',
  },
  LOGOUT_FAILED: {
    number: 804,
    status: 500,
    message: 'Logout failed',
    hint: 'You are still signed in. Try again in a moment.',
  },
  TERMINATE_FAILED: {
    number: 805,
    status: 500,
    message: 'Failed to terminate sessions',
    hint: 'No session was ended. Try again. If it fails again, report the request ID.',
  },

  SWITCH_TARGET_INVALID: {
    number: 806,
    status: 400,
    message: 'Invalid session ID format',
    hint: 'Send a session_id from the list at /authsvc/api/account-sessions.',
  },
  ACCOUNT_NOT_ON_DEVICE: {
    number: 807,
    status: 403,
    message: 'Account not available on this device',
    hint: 'Sign in with that account on this device first.',
  },
  SESSION_NOT_FOUND: {
    number: 808,
    status: 404,
    message: 'There is no such session',
    hint: 'The session may already have ended.',
  },

  APP_NOT_ALLOWED: {
    number: 901,
    status: 403,
    message: 'You Are Not Authorized To Use The Application',
    hint: 'Ask an administrator for access to this application.',
  },
  SUPERADMIN_REQUIRED: {
    number: 902,
    status: 403,
    message: 'Superadmin role required',
    hint: 'Sign in with an account that has the superadmin role, or ask an administrator.',
  },
  CSRF_INVALID: {
    number: 903,
    status: 403,
    message: 'Invalid or missing CSRF token',
    hint: 'Reload the page and try again. Programs must send the CSRF token of the sign-in page as _csrf.',
  },
  CROSS_SITE_REQUEST: {
    number: 904,
    status: 403,
    message: 'Cross-site request refused',
    hint: 'A request that changes something must come from a page of this service.',
  },
  MAIN_SECRET_REQUIRED: {
    number: 905,
    status: 401,
    message: 'Unauthorized',
    hint: 'Send the main secret token as the whole value of the Authorization header.',
  },
  HTTPS_REQUIRED: {
    number: 906,
    status: 403,
    message: 'HTTPS is required',
    hint: 'Send the request to the https address of this service.',
  },
  HOST_NOT_ALLOWED: {
    number: 907,
    status: 403,
    message: 'This host name is not allowed',
    hint: 'With env=dev the service answers only at localhost, loopback addresses and the host of BASE_URL.',
  },
  TOKEN_READ_ONLY: {
    number: 910,
    status: 403,
    message: 'The API token may only read',
    hint: 'This request changes something, so it needs a token with the scope write.',
  },
  TOKEN_LIMIT_REACHED: {
    number: 911,
    status: 403,
    message: 'The limit of API tokens is reached',
    hint: 'Revoke a token that is no longer needed, then try again.',
  },
  TOKEN_APPS_NOT_ALLOWED: {
    number: 912,
    status: 403,
    message: 'The token includes an application that its user may not use',
    hint: 'In allowed_apps, list only applications that you may use. If you omit allowed_apps, the token is for all of them.',
  },
  APP_UNKNOWN: {
    number: 913,
    status: 403,
    message: 'There is no such application',
    hint: 'No application with this key is registered, or it is disabled.',
  },
  ROLE_NOT_ALLOWED: {
    number: 914,
    status: 403,
    message: 'Your role does not allow this',
    hint: 'Ask an administrator for access.',
  },
  PROXY_NOT_TRUSTED: {
    number: 915,
    status: 403,
    message: 'The proxy that sent the request is not trusted',
    hint: 'Add the address of the proxy to TRUST_PROXY.',
  },
  APP_CREDENTIALS_INVALID: {
    number: 916,
    status: 401,
    message: 'The key or the secret of the application is wrong',
    hint: 'Send the key of an active application and its secret by HTTP Basic authentication.',
  },
  APP_THIRD_PARTY: {
    number: 917,
    status: 403,
    message: 'The application belongs to a third party',
    hint: 'A third-party application may not ask who a session belongs to. Use OpenID Connect instead.',
  },
  DIAGNOSTICS_LOCKED: {
    number: 930,
    status: 403,
    message: 'Database logs are disabled',
    hint: 'Resetting the query log is not allowed. To allow it, set dbLogs=true.',
  },
  SESSION_REQUIRED: {
    number: 920,
    status: 403,
    message: 'Only a browser session may do this',
    hint: 'Sign in with a browser. An Authorization header is not accepted here.',
  },
  CONFIRMATION_REQUIRED: {
    number: 921,
    status: 403,
    message: 'Confirm that it is you',
    hint: 'Confirm in one of the ways that the reply lists, then try again. A confirmation is valid for ten minutes.',
  },
  CONFIRMATION_FAILED: {
    number: 922,
    status: 403,
    message: 'The confirmation failed',
    hint: 'The password or code is wrong, the code was already used, the passkey was not accepted, or the account cannot confirm this way.',
  },
  PROFILE_LOCKED: {
    number: 923,
    status: 403,
    message: 'Users cannot change their profile',
    hint: 'Ask an administrator to change it.',
  },
  CURRENT_PASSWORD_INCORRECT: {
    number: 924,
    status: 403,
    message: 'The current password is not right',
    hint: 'Check it for typing errors. Passwords are case-sensitive.',
  },
  PASSWORD_UNCHANGED: {
    number: 1039,
    status: 400,
    message: 'The new password is the current one',
    hint: 'Choose another password.',
  },
  LAST_WAY_IN: {
    number: 1217,
    status: 409,
    message: 'This is the last way to sign in',
    hint: 'Set a password or add another way to sign in first.',
  },
  ADDRESS_NOT_ALLOWED: {
    number: 919,
    status: 400,
    message: 'The service may not send requests to this address',
    hint: 'Use https and a public address. Addresses of private networks are allowed only with WEBHOOK_PRIVATE_NETWORKS=on.',
  },
  TOKEN_SCOPE_REQUIRED: {
    number: 918,
    status: 403,
    message: 'The scope of the token does not allow this',
    hint: 'Send the request with the session of a superadmin instead of an API token.',
  },

  MISSING_REQUIRED_FIELD: {
    number: 1001,
    status: 400,
    message: 'A required field is missing',
    hint: 'Send every required field. The documentation of the route lists them.',
  },
  FIELD_INVALID: {
    number: 1002,
    status: 400,
    message: 'A field has an invalid value',
    hint: 'Compare your values with the types and limits in the documentation of the route.',
  },
  BODY_INVALID: {
    number: 1003,
    status: 400,
    message: 'The request body must be a JSON object',
    hint: 'Send a JSON object as application/json in UTF-8.',
  },
  BODY_TOO_LARGE: {
    number: 1004,
    status: 413,
    message: 'The request body is too large',
    hint: 'A body can have at most 64 KiB.',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    number: 1005,
    status: 415,
    message: 'Unsupported content type',
    hint: 'Send the body as application/json, uncompressed.',
  },
  CREDENTIALS_REQUIRED: {
    number: 1006,
    status: 400,
    message: 'Username and password are required',
    hint: 'Fill in both fields.',
  },
  USERNAME_INVALID: {
    number: 1007,
    status: 400,
    message: 'Invalid username format',
    hint: 'A username has 1 to 255 characters and no control characters.',
  },
  PASSWORD_TOO_SHORT: {
    number: 1008,
    status: 400,
    message: 'Password must be at least 8 characters long',
    hint: 'A password has 8 to 255 characters.',
  },
  PASSWORD_TOO_LONG: {
    number: 1009,
    status: 400,
    message: 'Password must be at most 255 characters long',
    hint: 'A password has 8 to 255 characters.',
  },
  URL_INVALID: {
    number: 1010,
    status: 400,
    message: 'The address of the request is invalid',
    hint: 'Check the percent-encoding of the URL.',
  },
  PASSWORD_TOO_COMMON: {
    number: 1011,
    status: 400,
    message: 'Password is too easy to guess',
    hint: 'Choose a password that is not common and that is not the name of the user or the application.',
  },
  TOKEN_NAME_INVALID: {
    number: 1020,
    status: 400,
    message: 'Invalid token name',
    hint: 'A name has 1 to 255 characters.',
  },
  TOKEN_SCOPE_INVALID: {
    number: 1021,
    status: 400,
    message: 'Invalid scope',
    hint: 'The scope is read-only, write or admin.',
  },
  EXPIRES_DAYS_INVALID: {
    number: 1022,
    status: 400,
    message: 'Invalid lifetime',
    hint: 'expiresDays is an integer from 1 to 3650. For a token of scope admin, the maximum is 30.',
  },
  ALLOWED_APPS_INVALID: {
    number: 1023,
    status: 400,
    message: 'Invalid list of applications',
    hint: 'allowed_apps is a list of at most 100 names.',
  },
  TOKEN_FORMAT_INVALID: {
    number: 1024,
    status: 400,
    message: 'Not an API token',
    hint: 'A token is tok_ followed by 64 lowercase hexadecimal digits.',
  },
  ID_INVALID: {
    number: 1025,
    status: 400,
    message: 'Invalid id',
    hint: 'An id is an integer above 0.',
  },
  CLIENT_NAME_INVALID: {
    number: 1026,
    status: 400,
    message: 'Invalid client name',
    hint: 'clientName has 1 to 255 characters.',
  },
  PROFILE_REQUIRED: {
    number: 1027,
    status: 400,
    message: 'A profile is required',
    hint: 'Send the key of a profile as profileKey.',
  },
  PROFILE_UNKNOWN: {
    number: 1028,
    status: 400,
    message: 'There is no such profile',
    hint: 'Check the key for typing errors, or ask the operator whether the profile is disabled.',
  },
  USER_CODE_INVALID: {
    number: 1029,
    status: 400,
    message: 'Invalid code',
    hint: 'user_code is the code that the program shows, such as BCDF-GHJK.',
  },
  DEVICE_ACTION_INVALID: {
    number: 1030,
    status: 400,
    message: 'Invalid action',
    hint: 'action is approve or deny.',
  },
  DEVICE_CODE_INVALID: {
    number: 1031,
    status: 400,
    message: 'Invalid device code',
    hint: 'device_code is the 48 lowercase hexadecimal digits in the reply to POST /api/cli/device.',
  },
  REQUEST_MALFORMED: {
    number: 1032,
    status: 400,
    message: 'The request is not valid HTTP',
    hint: 'Use an HTTP library. HTTP/1.1 requires exactly one Host header, with a valid host.',
  },
  HEADERS_TOO_LARGE: {
    number: 1033,
    status: 431,
    message: 'The headers of the request are too large',
    hint: 'The URL and the headers together can have at most 16 KiB. In a browser, delete the cookies of this site.',
  },
  REQUEST_TOO_SLOW: {
    number: 1034,
    status: 408,
    message: 'The request took too long to arrive',
    hint: 'A request must arrive within 10 seconds. Try again.',
  },
  EMAIL_INVALID: {
    number: 1035,
    status: 400,
    message: 'Invalid e-mail address',
    hint: 'An address looks like ada@example.com and has at most 254 characters.',
  },
  CURSOR_INVALID: {
    number: 1036,
    status: 400,
    message: 'The cursor does not belong to this list',
    hint: 'A cursor is valid only with the filters and the sort order of the page that it came from. To start at the first page, omit it.',
  },

  TOO_MANY_LOGINS: {
    number: 1101,
    status: 429,
    message: 'Too many attempts, please try again later',
    hint: 'Wait for the number of seconds in the Retry-After header.',
  },
  TOO_MANY_LOGOUTS: {
    number: 1102,
    status: 429,
    message: 'Too many logout attempts, please try again later',
    hint: 'Wait for the number of seconds in the Retry-After header.',
  },
  TOO_MANY_CODES: {
    number: 1103,
    status: 429,
    message: 'Too many 2FA attempts, please try again later',
    hint: 'Wait for the number of seconds in the Retry-After header.',
  },
  TOO_MANY_REQUESTS: {
    number: 1104,
    status: 429,
    message: 'Too many requests, please try again later',
    hint: 'Wait for the number of seconds in the Retry-After header.',
  },

  INTERNAL_ERROR: {
    number: 1201,
    status: 500,
    message: 'Internal Server Error',
    hint: 'Try again in a moment. If it fails again, report the request ID.',
  },
  NOT_FOUND: {
    number: 1202,
    status: 404,
    message: 'There is nothing at this address',
    hint: 'Check the address for typing errors.',
  },
  METHOD_NOT_ALLOWED: {
    number: 1203,
    status: 405,
    message: 'Method not allowed',
    hint: 'The Allow header lists the methods of this address.',
  },
  OVERLOADED: {
    number: 1204,
    status: 503,
    message: 'The service is busy, please try again in a moment',
    hint: 'Wait for the number of seconds in the Retry-After header.',
  },

  SOCIAL_START_UNKNOWN: {
    number: 1301,
    status: 403,
    message: 'This sign-in cannot be continued in this browser',
    hint: 'It started in another browser or more than ten minutes ago, it was already refused, or the browser stores no cookies. Start again at the sign-in page.',
  },
  SOCIAL_START_USED: {
    number: 1302,
    status: 403,
    message: 'This sign-in has already ended',
    hint: 'Continue in the application, or start again at the sign-in page.',
  },
  PROVIDER_OFF: {
    number: 1303,
    status: 403,
    message: 'Sign-in through this provider is turned off',
    hint: 'Sign in with your username and password, or through another provider.',
  },
  PROVIDER_MISCONFIGURED: {
    number: 1304,
    status: 500,
    message: 'Sign-in through this provider is not set up correctly',
    hint: 'Sign in with your username and password, and tell an administrator. The log of the service names the reason.',
  },
  PROVIDER_CANCELLED: {
    number: 1305,
    status: 403,
    message: 'You cancelled the sign-in at the provider',
    hint: 'You can start again, or sign in with your username and password.',
  },
  PROVIDER_ACCOUNT_NOT_LINKED: {
    number: 1306,
    status: 403,
    message: 'This provider account is not linked to an account here',
    hint: 'Sign in another way, then connect the provider account on your account page, or ask an administrator to link it.',
  },
  PROVIDER_CODE_INVALID: {
    number: 1307,
    status: 400,
    message: "The provider's confirmation is no longer valid",
    hint: 'The confirmation has expired or was already used. Start again at the sign-in page.',
  },
  PROVIDER_PROOF_INVALID: {
    number: 1308,
    status: 403,
    message: 'The provider did not prove who you are',
    hint: "No one was signed in, because the provider's answer could not be verified. Start again. If it fails again, report the request ID.",
  },
  PROVIDER_ANSWER_INVALID: {
    number: 1309,
    status: 502,
    message: "The provider's answer could not be understood",
    hint: 'Sign in with your username and password, or try again later. If it fails again, report the request ID.',
  },
  PROVIDER_UNREACHABLE: {
    number: 1310,
    status: 503,
    message: 'The provider cannot be reached',
    hint: 'Sign in with your username and password, or try again in a minute.',
  },
  CONNECTION_TAKEN: {
    number: 1311,
    status: 409,
    message: 'The provider account is linked to another user',
    hint: 'Remove the existing link first.',
  },
  CONNECTION_EXISTS: {
    number: 1312,
    status: 409,
    message: 'The user already has an account at this provider',
    hint: 'Remove the existing link first.',
  },
  OIDC_CLIENT_UNKNOWN: {
    number: 1313,
    status: 400,
    message: 'The application is unknown',
    hint: 'No active application has this client_id. Compare it with the key of the application.',
  },
  OIDC_REDIRECT_URI_INVALID: {
    number: 1314,
    status: 400,
    message: 'The redirect URI does not match',
    hint: 'The application sent a redirect URI that is not registered for it. The URI must match a registered one exactly.',
  },
  OIDC_REQUEST_INVALID: {
    number: 1315,
    status: 400,
    message: 'The authorization request is not valid',
    hint: 'Go back to the application and sign in again. If it fails again, report the request ID.',
  },
  OIDC_REQUEST_EXPIRED: {
    number: 1316,
    status: 400,
    message: 'The authorization request has expired',
    hint: 'The request was already answered, or it waited for more than an hour. Go back to the application and sign in again.',
  },
  OIDC_TOKEN_INVALID: {
    number: 1317,
    status: 401,
    message: 'Invalid or expired access token',
    hint: 'Send a valid access token from this service in the Authorization header.',
  },
  OIDC_SCOPE_MISSING: {
    number: 1318,
    status: 403,
    message: 'The access token lacks the scope openid',
    hint: 'Request an access token with the scope openid and without a resource.',
  },
  OIDC_LOGOUT_INVALID: {
    number: 1319,
    status: 400,
    message: 'The sign-out request is not valid',
    hint: 'The application sent an ID token or an address that does not belong to it. You are still signed in.',
  },
  TOKEN_NOT_FOUND: {
    number: 1205,
    status: 404,
    message: 'There is no such token',
    hint: 'The token may already be revoked, or it belongs to another user.',
  },
  USER_NOT_FOUND: {
    number: 1206,
    status: 404,
    message: 'There is no such user',
    hint: 'Check the name for typing errors.',
  },
  USERNAME_TAKEN: {
    number: 1207,
    status: 409,
    message: 'The username is taken',
    hint: 'Choose another one. Upper and lower case make no difference.',
  },
  PROFILE_NOT_FOUND: {
    number: 1208,
    status: 404,
    message: 'There is no such profile',
    hint: 'Check the key for typing errors.',
  },
  PROFILE_KEY_TAKEN: {
    number: 1209,
    status: 409,
    message: 'The key of the profile is taken',
    hint: 'Choose another key, or omit the key to get a generated one.',
  },
  REF_UNKNOWN: {
    number: 1210,
    status: 404,
    message: 'There is no such entry to remove',
    hint: 'The entry may already be removed.',
  },
  APPLICATION_NOT_FOUND: {
    number: 1211,
    status: 404,
    message: 'There is no such application',
    hint: 'Check the key for typing errors.',
  },
  APPLICATION_KEY_TAKEN: {
    number: 1212,
    status: 409,
    message: 'The key of the application is taken',
    hint: 'Choose another one.',
  },
  APPLICATION_PUBLIC: {
    number: 1213,
    status: 409,
    message: 'A public application has no secret',
    hint: 'Make the application confidential first.',
  },
  LAST_SUPERADMIN: {
    number: 1214,
    status: 409,
    message: 'This is the last active superadmin',
    hint: 'Make another user a superadmin first.',
  },
  CHANGED_MEANWHILE: {
    number: 1218,
    status: 409,
    message: 'The record has changed in the meantime',
    hint: 'Read the current record, then try again with its version.',
  },
  ORIGINAL_REQUEST_INVALID: {
    number: 1037,
    status: 400,
    message: 'The proxy did not describe the original request',
    hint: 'Compare the configuration of the proxy with the documentation.',
  },
  PASSKEY_INVALID: {
    number: 1038,
    status: 400,
    message: 'The passkey could not be added',
    hint: 'The response of the authenticator does not match the request. Start again.',
  },
  PASSKEY_TAKEN: {
    number: 1215,
    status: 409,
    message: 'The passkey is in use',
    hint: 'A passkey with this credential id already exists. Create a new passkey.',
  },
  LIMIT_REACHED: {
    number: 1216,
    status: 409,
    message: 'The maximum number of entries is reached',
    hint: 'Remove an existing entry first.',
  },
  WEBHOOK_NOT_FOUND: {
    number: 1219,
    status: 404,
    message: 'There is no such webhook',
    hint: 'Check the id for typing errors. The webhook may already be removed.',
  },
  DELIVERY_NOT_FOUND: {
    number: 1220,
    status: 404,
    message: 'There is no such waiting or failed delivery',
    hint: 'Only waiting and failed deliveries can be repeated.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorName = keyof typeof entries;

export const errorRegistry: Readonly<Record<ErrorName, ErrorEntry>> = entries;

export const errorNames: readonly ErrorName[] = Object.keys(entries).filter(
  (name): name is ErrorName => name in entries,
);
