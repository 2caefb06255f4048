import type { Parse } from './parse.ts';

/** How many requests one client may send in a window of time. */
export interface Budget {
  points: number;
  windowSeconds: number;
}

const MINUTE = 60;

/** The default budget of each rate limit, by the limit's name. */
const defaultLimits = {
  login: { points: 8, windowSeconds: MINUTE },
  'login-page': { points: 8, windowSeconds: MINUTE },
  'second-step': { points: 5, windowSeconds: MINUTE },
  'second-step-page': { points: 5, windowSeconds: MINUTE },
  'passkey-options': { points: 30, windowSeconds: MINUTE },
  'account-change': { points: 30, windowSeconds: MINUTE },
  'account-read': { points: 60, windowSeconds: MINUTE },
  'form-again': { points: 30, windowSeconds: MINUTE },
  forgot: { points: 10, windowSeconds: 60 * MINUTE },
  'account-secret': { points: 8, windowSeconds: MINUTE },
  logout: { points: 10, windowSeconds: MINUTE },
  'logout-page': { points: 30, windowSeconds: MINUTE },
  'logout-all': { points: 8, windowSeconds: MINUTE },
  'accounts-page': { points: 8, windowSeconds: MINUTE },
  'account-sessions': { points: 8, windowSeconds: MINUTE },
  'switch-session': { points: 8, windowSeconds: MINUTE },
  'check-session': { points: 8, windowSeconds: MINUTE },
  'session-page': { points: 8, windowSeconds: MINUTE },
  info: { points: 8, windowSeconds: MINUTE },
  'device-start': { points: 20, windowSeconds: MINUTE },
  'device-decide': { points: 30, windowSeconds: MINUTE },
  'device-poll': { points: 60, windowSeconds: MINUTE },
  'admin-change': { points: 120, windowSeconds: MINUTE },
  'admin-read': { points: 600, windowSeconds: MINUTE },
  'token-revoke': { points: 60, windowSeconds: MINUTE },
  'oidc-authorize': { points: 120, windowSeconds: MINUTE },
  'oidc-token': { points: 300, windowSeconds: MINUTE },
  'oidc-device': { points: 20, windowSeconds: MINUTE },
  'oidc-secret': { points: 10, windowSeconds: MINUTE },
  'oidc-user-code': { points: 8, windowSeconds: MINUTE },
  'terminate-all': { points: 3, windowSeconds: 5 * MINUTE },
} as const satisfies Record<string, Budget>;

const socialLimit: Budget = { points: 10, windowSeconds: 5 * MINUTE };

/** The name of a rate limit. Each provider of social sign-in has its own limit. */
export type LimitName = keyof typeof defaultLimits | `social-${string}`;
/** The budgets that RATE_LIMITS changes. */
export type ChangedLimits = Partial<Record<LimitName, Budget>>;

const isFixed = (name: string): name is keyof typeof defaultLimits => Object.hasOwn(defaultLimits, name);
const isLimitName = (name: string): name is LimitName => isFixed(name) || /^social-[a-z0-9-]{2,32}$/.test(name);

/** Returns the budget of a limit that RATE_LIMITS does not change. */
export const defaultBudget = (name: LimitName): Budget => (isFixed(name) ? defaultLimits[name] : socialLimit);

const MAX_POINTS = 1_000_000;
const MAX_WINDOW_SECONDS = 86_400;
const ENTRY = /^([a-z0-9-]+) *= *(\d{1,7}) *\/ *(\d{1,5})s$/;

/** The syntax of RATE_LIMITS, for its error message. */
export const RATE_LIMITS_FORM = `on, off (only with env=dev), or a list of NAME=REQUESTS/SECONDSs, with each name only once, 1 to ${MAX_POINTS} requests and 1 to ${MAX_WINDOW_SECONDS} seconds; the names are ${Object.keys(defaultLimits).join(', ')}, and social-PROVIDER for each provider`;

function fail(): never {
  throw new Error(RATE_LIMITS_FORM);
}

function parseEntry(text: string): [LimitName, Budget] {
  const [, name = '', requests, seconds] = ENTRY.exec(text.trim()) ?? [];
  const [points, windowSeconds] = [Number(requests), Number(seconds)];
  const isFine = points >= 1 && points <= MAX_POINTS && windowSeconds >= 1 && windowSeconds <= MAX_WINDOW_SECONDS;
  return isLimitName(name) && isFine ? [name, { points, windowSeconds }] : fail();
}

/** Parses RATE_LIMITS: `on`, `off`, or the limits to change, such as `login=20/60s,login-page=60/60s`. */
export const parseRateLimits: Parse<ChangedLimits | 'off'> = (text) => {
  if (text === 'off') return 'off';
  if (text === 'on') return {};
  const entries = text.split(',').map(parseEntry);
  const changed: ChangedLimits = Object.fromEntries(entries);
  return Object.keys(changed).length === entries.length ? changed : fail();
};

/** Returns the limits in RATE_LIMITS that belong to no existing provider. */
export function unknownSocialLimits(changed: ChangedLimits | 'off', providers: readonly string[]): string[] {
  const known = new Set(providers.map((name) => `social-${name}`));
  return Object.keys(changed === 'off' ? {} : changed).filter((name) => !isFixed(name) && !known.has(name));
}
