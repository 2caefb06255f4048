import { expect, test } from 'vitest';
import { errorCategories, errorNames, errorRegistry } from './registry.ts';

/** Public since their release: an entry may be added, none may change. */
const released = {
  PASSWORD_INCORRECT: 601,
  USER_UNKNOWN: 602,
  ACCOUNT_INACTIVE: 603,
  NOT_SIGNED_IN: 604,
  LOGIN_FAILED: 605,
  TOKEN_INVALID: 610,
  USER_CODE_UNKNOWN: 611,
  DEVICE_CODE_UNKNOWN: 612,
  DEVICE_REQUEST_DECIDED: 613,
  DEVICE_REQUEST_EXPIRED: 614,
  SECOND_STEP_CODE_REQUIRED: 701,
  SECOND_STEP_CODE_MALFORMED: 702,
  SECOND_STEP_CODE_INCORRECT: 703,
  FIRST_STEP_REQUIRED: 704,
  SECOND_STEP_MISCONFIGURED: 705,
  SESSION_EXPIRED: 801,
  SESSION_INVALID: 802,
  NOT_LOGGED_IN: 803,
  LOGOUT_FAILED: 804,
  TERMINATE_FAILED: 805,
  SWITCH_TARGET_INVALID: 806,
  ACCOUNT_NOT_ON_DEVICE: 807,
  APP_NOT_ALLOWED: 901,
  SUPERADMIN_REQUIRED: 902,
  CSRF_INVALID: 903,
  CROSS_SITE_REQUEST: 904,
  MAIN_SECRET_REQUIRED: 905,
  HTTPS_REQUIRED: 906,
  TOKEN_READ_ONLY: 910,
  TOKEN_LIMIT_REACHED: 911,
  TOKEN_APPS_NOT_ALLOWED: 912,
  MISSING_REQUIRED_FIELD: 1001,
  FIELD_INVALID: 1002,
  BODY_INVALID: 1003,
  BODY_TOO_LARGE: 1004,
  CONTENT_TYPE_UNSUPPORTED: 1005,
  CREDENTIALS_REQUIRED: 1006,
  USERNAME_INVALID: 1007,
  PASSWORD_TOO_SHORT: 1008,
  PASSWORD_TOO_LONG: 1009,
  URL_INVALID: 1010,
  TOKEN_NAME_INVALID: 1020,
  TOKEN_SCOPE_INVALID: 1021,
  EXPIRES_DAYS_INVALID: 1022,
  ALLOWED_APPS_INVALID: 1023,
  TOKEN_FORMAT_INVALID: 1024,
  ID_INVALID: 1025,
  CLIENT_NAME_INVALID: 1026,
  PROFILE_REQUIRED: 1027,
  PROFILE_UNKNOWN: 1028,
  USER_CODE_INVALID: 1029,
  DEVICE_ACTION_INVALID: 1030,
  DEVICE_CODE_INVALID: 1031,
  TOO_MANY_LOGINS: 1101,
  TOO_MANY_LOGOUTS: 1102,
  TOO_MANY_CODES: 1103,
  TOO_MANY_REQUESTS: 1104,
  INTERNAL_ERROR: 1201,
  NOT_FOUND: 1202,
  METHOD_NOT_ALLOWED: 1203,
  OVERLOADED: 1204,
  TOKEN_NOT_FOUND: 1205,
  USER_NOT_FOUND: 1206,
};

test('name and number of every entry are the released ones', () => {
  expect(Object.fromEntries(errorNames.map((name) => [name, errorRegistry[name].number]))).toEqual(released);
});

test('numbers are unique, lie in a category, and texts are filled', () => {
  expect(new Set(errorNames.map((name) => errorRegistry[name].number)).size).toBe(errorNames.length);
  for (const name of errorNames) {
    const { number, message, hint, status } = errorRegistry[name];
    expect(errorCategories.filter(({ from, to }) => number >= from && number <= to)).toHaveLength(1);
    expect(message.length).toBeGreaterThan(5);
    expect(hint.length).toBeGreaterThan(5);
    expect([400, 401, 403, 404, 405, 409, 410, 413, 415, 429, 500, 503]).toContain(status);
  }
});
