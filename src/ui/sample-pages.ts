import type { ListedAccount, PageData, TemplateName } from './page-data.ts';

/** Some data for each template, so that each of its branches is taken by one of them. */
export type SamplePages = { [Name in TemplateName]: [PageData[Name], ...PageData[Name][]] };

function signInSamples(text: string): Pick<SamplePages, 'login' | 'two-factor'> {
  const login: PageData['login'] = {
    codehostLoginEnabled: true,
    webssoLoginEnabled: true,
    customURL: `/${text}`,
    userLoggedIn: true,
    adding: false,
    username: text,
    csrfToken: text,
    beginAgain: 'guesses',
    lastLoginMethod: 'codehost',
    lastLoginPassword: false,
    lastLoginCodehost: true,
    lastLoginWebsso: false,
  };
  const anonymous: PageData['login'] = {
    ...login,
    codehostLoginEnabled: false,
    webssoLoginEnabled: false,
    userLoggedIn: false,
    username: undefined,
    beginAgain: undefined,
    lastLoginMethod: undefined,
    lastLoginCodehost: false,
  };
  const secondStep = { csrfToken: text, customURL: `/${text}`, trustDeviceDays: 7, username: text, triesLeft: 5 };
  return {
    login: [login, anonymous, { ...login, adding: true }],
    'two-factor': [secondStep, { ...secondStep, trustDeviceDays: 0 }],
  };
}

function accountSamples(text: string): Pick<SamplePages, 'test' | 'accounts'> {
  const session: PageData['test'] = {
    userId: 42,
    username: text,
    fullName: text,
    role: text,
    sessionId: text,
    expiresAt: text,
    csrfToken: text,
    image: text,
  };
  const byToken = { ...session, sessionId: undefined, expiresAt: undefined, image: undefined };
  const account: ListedAccount = {
    sessionId: text,
    username: text,
    fullName: text,
    isCurrent: true,
    image: `https://${text}`,
  };
  const accounts: PageData['accounts'] = {
    customURL: `/${text}`,
    userLoggedIn: true,
    username: text,
    full_name: text,
    role: text,
    csrfToken: text,
    accounts: [account, { ...account, isCurrent: false, image: undefined }],
  };
  return { test: [session, byToken], accounts: [accounts, { ...accounts, userLoggedIn: false, accounts: [] }] };
}

function deviceSamples(text: string): Pick<SamplePages, 'device'> {
  const request: NonNullable<PageData['device']['request']> = {
    userCode: text,
    clientName: text,
    profileName: text,
    scope: 'write',
    apps: [text],
    expiresInDays: 1,
    address: text,
    createdAt: text,
    ageSeconds: 90,
    expiresAt: text,
    username: text,
    fullName: text,
    hasImage: true,
  };
  const others = ['ask', 'approved', 'denied', 'completed', 'expired'] as const;
  return {
    device: [
      { state: 'pending', request },
      { state: 'unknown', typed: text },
      ...others.map((state): PageData['device'] => ({ state })),
    ],
  };
}

function errorSamples(text: string): Pick<SamplePages, 'error' | 'error-list'> {
  const bare: PageData['error'] = {
    status: 403,
    message: text,
    code: text,
    errorCode: 901,
    hint: text,
    requestId: text,
  };
  const full: PageData['error'] = {
    ...bare,
    waitSeconds: 43,
    goOn: { path: `/${text}`, words: 'signIn' },
    provider: 'codehost',
    providerAccount: text,
  };
  const statuses = [400, 401, 403, 404, 429, 500];
  const entry = { name: text, number: 601, status: 401, message: text, hint: text };
  return {
    error: [full, ...statuses.map((status) => ({ ...bare, status }))],
    'error-list': [{ categories: [{ name: text, range: text, entries: [entry] }] }],
  };
}

function serviceSamples(text: string): Pick<SamplePages, 'info' | 'query-monitor'> {
  const info: PageData['info'] = {
    latestVersion: text,
    updateAvailable: true,
    groups: [
      { name: text, settings: [{ key: text, value: text }] },
      {
        name: 'service',
        settings: [
          { key: 'IS_DEPLOYED', value: false },
          { key: 'UPDATE_CHECK', value: 'on' },
          { key: 'DOMAIN', value: undefined },
          { key: 'COOKIE_EXPIRE_TIME', value: 0.5 },
        ],
      },
    ],
  };
  const monitor: PageData['query-monitor'] = {
    limit: 50,
    count: 2,
    failed: 1,
    longestMs: 1.25,
    mayReset: true,
    wasReset: true,
    requests: [{ id: text, method: text, url: text, queries: 2, durationMs: 1.5 }],
    queries: [
      {
        number: 2,
        time: '2026-01-02T03:04:05.006Z',
        name: text,
        query: text,
        values: [text],
        durationMs: 1.25,
        success: false,
        error: text,
        ofRequest: { id: text, position: 1, queries: 2 },
        request: { method: text, url: text, ip: text, user_id: 7, username: text },
        pool: { total: 1, idle: 1, waiting: 0 },
        callsite: { function: text, file: text, line: 1, column: 2 },
      },
    ],
  };
  return {
    info: [info, { ...info, latestVersion: undefined, updateAvailable: false }],
    'query-monitor': [monitor, { ...monitor, mayReset: false, wasReset: false, requests: [], queries: [] }],
  };
}

/** Pages with `text` in every field that somebody else can choose; the first of each template has every field. */
export function samplePages(text: string): SamplePages {
  return {
    ...signInSamples(text),
    ...accountSamples(text),
    ...deviceSamples(text),
    ...errorSamples(text),
    ...serviceSamples(text),
  };
}
