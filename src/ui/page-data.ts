/** Whose accounts people may sign in with. */
export type Provider = 'codehost' | 'websso';

/** How somebody signed in. */
export type LoginMethod = 'password' | Provider;

/** An account in the list of those signed in on one device. */
export interface ListedAccount {
  sessionId: string;
  username: string;
  fullName: string;
  isCurrent: boolean;
  /** An https address; anything else is not shown. */
  image: string | undefined;
}

/** One entry of the list of error codes. */
export interface ListedError {
  name: string;
  number: number;
  status: number;
  message: string;
  hint: string;
}

/** Where the request of a program stands; ask: no code was given yet. */
export type DeviceState = 'ask' | 'pending' | 'approved' | 'denied' | 'completed' | 'expired' | 'unknown';

/** A request that waits for a decision, and who is asked for it. */
export interface DeviceRequest {
  userCode: string;
  clientName: string;
  profileName: string;
  scope: 'read-only' | 'write';
  apps: string[];
  expiresInDays: number;
  address: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** How long ago that was when the page was made. */
  ageSeconds: number;
  expiresAt: string;
  username: string;
  fullName: string;
  hasImage: boolean;
}

/** One query of the query monitor. */
export interface MonitoredQuery {
  number: number;
  /** ISO 8601, UTC. */
  time: string;
  name: string;
  query: string;
  /** Each as JSON. */
  values: string[];
  durationMs: number;
  success: boolean;
  error: string | null;
  /** The request that made it, how many it made, and which of them this one is, from 1. */
  ofRequest: { id: string; position: number; queries: number } | undefined;
  request: { method: string; url: string; ip: string; user_id: number | null; username: string | null } | null;
  pool: { total: number; idle: number; waiting: number };
  callsite: { function: string | null; file: string | null; line: number | null; column: number | null };
}

/** What each template needs. Everything is plain text: the templates escape it. */
export interface PageData {
  login: {
    codehostLoginEnabled: boolean;
    webssoLoginEnabled: boolean;
    /** Where to go after the sign-in; a relative address that was found safe before. */
    customURL: string;
    userLoggedIn: boolean;
    /** Whether somebody who is signed in came to add an account. */
    adding: boolean;
    username: string | undefined;
    csrfToken: string;
    /** Why a sign-in that was begun here is over: too many wrong codes, or too much time. */
    beginAgain: 'guesses' | 'time' | undefined;
    lastLoginMethod: LoginMethod | undefined;
    lastLoginPassword: boolean;
    lastLoginCodehost: boolean;
    lastLoginWebsso: boolean;
  };
  'two-factor': {
    csrfToken: string;
    /** Where to go after the sign-in; whoever begins again takes it along. */
    customURL: string;
    /** 0: no device is trusted, and nothing is offered. */
    trustDeviceDays: number;
    username: string;
    /** Wrong codes that this sign-in still stands. */
    triesLeft: number;
  };
  test: {
    userId: number;
    username: string;
    fullName: string;
    role: string;
    /** Absent where an API token signs in: there is no session to show or to end. */
    sessionId: string | undefined;
    /** ISO 8601, UTC. */
    expiresAt: string | undefined;
    csrfToken: string;
    image: string | undefined;
  };
  accounts: {
    customURL: string;
    userLoggedIn: boolean;
    username: string;
    full_name: string;
    role: string;
    csrfToken: string;
    accounts: ListedAccount[];
  };
  device: {
    state: DeviceState;
    /** With the state pending only. */
    request?: DeviceRequest;
    /** With the state unknown: what was typed. */
    typed?: string;
  };
  error: {
    status: number;
    message: string;
    code: string;
    errorCode: number;
    hint: string;
    requestId: string;
    /** When to come back. */
    waitSeconds?: number;
    /** Where to lead on, and which of the page's words say so. */
    goOn?: { path: string; words: 'signIn' | 'switchAccount' | 'continue' };
    /** The provider that the page is about. */
    provider?: Provider;
    /** The account there. */
    providerAccount?: string;
  };
  'query-monitor': {
    /** How many queries are asked for. */
    limit: number;
    /** How many ran since the start or the last reset, how many of them failed, and how long the slowest took. */
    count: number;
    failed: number;
    longestMs: number;
    mayReset: boolean;
    wasReset: boolean;
    /** The requests of the shown queries, those with the most queries first. */
    requests: { id: string; method: string; url: string; queries: number; durationMs: number }[];
    /** The newest first. */
    queries: MonitoredQuery[];
  };
  info: {
    /** Undefined: not known. */
    latestVersion: string | undefined;
    updateAvailable: boolean;
    /** The settings that anybody may read; no value: not set. */
    groups: { name: string; settings: { key: string; value: string | number | boolean | undefined }[] }[];
  };
  'error-list': {
    categories: { name: string; range: string; entries: ListedError[] }[];
  };
}

/** The name of a page's template. */
export type TemplateName = keyof PageData;
