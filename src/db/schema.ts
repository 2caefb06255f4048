import type { Generated, Selectable } from 'kysely';
import type {
  ApplicationsTable,
  OidcDeviceCodesTable,
  OidcGrantsTable,
  OidcKeysTable,
  OidcRequestsTable,
  OidcTokensTable,
} from './application-tables.ts';

/** Instants (`…_at`) are milliseconds since the epoch, UTC. Lists are JSON text. */
export interface UsersTable {
  id: Generated<number>;
  /** UUID version 4 that identifies the user to applications. */
  sub: Generated<string>;
  /** As written. */
  username: string;
  /** What makes it unique: see users/username.ts. */
  username_key: string;
  full_name: string;
  role: string;
  allowed_apps: string;
  image: string;
  /** Empty: the user has no password. */
  password_hash: string;
  /** Grows with each new password, but not when the same one is hashed again. */
  password_version: Generated<number>;
  /** Grows with each change of the record or of the user's credentials, and not with a sign-in. */
  version: Generated<number>;
  created_at: number;
  /** When the user was deactivated; null: active. */
  deactivated_at: number | null;
  last_login_at: number | null;
  /** Confirmed, as written; null: none. */
  email: Generated<string | null>;
  /** Equal for addresses that differ in case only: see lib/email-address.ts. */
  email_key: Generated<string | null>;
  /** When the record last changed, for applications. */
  updated_at: Generated<number>;
  /** For the search, as the next two: see lib/fold-text.ts. */
  folded_username: Generated<string>;
  folded_full_name: Generated<string>;
  folded_apps: Generated<string>;
  /** 1 for a user with an authenticator app, else 0; triggers keep it. */
  has_factor: Generated<number>;
}

export interface SessionsTable {
  /** UUID version 4. */
  id: string;
  user_id: number;
  /** How the user signed in: password, or the name of a provider. */
  method: string;
  /** Client address and program at sign-in, for the list that an operator reads. */
  address: string;
  user_agent: string;
  created_at: number;
  expires_at: number;
  /** When the user last proved who they are. */
  authenticated_at: Generated<number>;
  /** How: JSON list of the values of sessions/amr.ts. */
  amr: Generated<string>;
  /** The browser that remembers the session in its list of accounts, and the name of that list; empty: none. */
  browser: Generated<string>;
  device: Generated<string>;
  /** The passkey that opened it, by its ref; null: another way did. */
  passkey_ref: Generated<string | null>;
  /** Names the session in lists and in the audit log: unique, lasting, no secret. */
  ref: Generated<string>;
  /** When the session was used last, to five minutes. */
  last_seen_at: Generated<number>;
  /** Until when the user need not prove again who they are; null: they must. */
  confirmed_until: Generated<number | null>;
}

/** Sign-ins that wait for their second step. */
export interface SecondStepsTable {
  /** UUID version 4. */
  id: string;
  user_id: number;
  method: string;
  redirect: string;
  attempts_left: number;
  expires_at: number;
}

/** Confirmed authenticator apps. A user may have several. */
export interface TotpFactorsTable {
  id: Generated<number>;
  user_id: number;
  /** Sealed. */
  secret: string;
  /** The data key that sealed it; null: a session secret did, before there were data keys. */
  key_id: string | null;
  /** The last time step whose code was accepted; no earlier one counts again. */
  last_step: number;
  confirmed_at: number;
}

/** Authenticator apps that are being set up, in a session or in a sign-in that waits for its second step. */
export interface TotpDraftsTable {
  id: Generated<number>;
  user_id: number;
  session_id: string | null;
  second_step_id: string | null;
  /** Sealed. */
  secret: string;
  key_id: string;
  attempts_left: number;
  expires_at: number;
}

/** Passkeys of users. */
export interface PasskeysTable {
  /** Names it in lists; random. */
  ref: string;
  user_id: number;
  /** Base64url. */
  credential_id: string;
  /** COSE key, base64url. */
  public_key: string;
  /** The signature counter of its last use; 0: the authenticator counts nothing. */
  counter: number;
  /** JSON list. */
  transports: string;
  /** The model of the authenticator. */
  aaguid: string;
  name: string;
  /** 1: copies of it are kept elsewhere. */
  backed_up: number;
  /** The host name to which it is bound. */
  rp_id: string;
  created_at: number;
  last_used_at: number | null;
  /**
   * By what its authenticator knows the user; null: by the user's own handle. Empty: not known until its first use,
   * because it was imported.
   */
  user_handle: Generated<string | null>;
}

/** By what authenticators know a user. */
export interface PasskeyHandlesTable {
  user_id: number;
  /** 64 random bytes, base64url. */
  handle: string;
}

/** Challenges that wait for the answer of an authenticator. */
export interface PasskeyChallengesTable {
  /** SHA-256 of the challenge, hex. */
  challenge_hash: string;
  /** What the answer is for. */
  purpose: string;
  /** The browser that asked for it: see http/csrf.ts. */
  browser: string;
  /** The session in which it was asked for; null: none. */
  session_id: string | null;
  expires_at: number;
}

/** Wrong codes of a user since the last right one, over all factors and sign-ins. */
export interface FactorGuessesTable {
  user_id: number;
  guesses: number;
  /** Until when further guesses are refused. */
  blocked_until: number;
}

/** Wrong passwords for one account: from a browser that knows the person, or from all others. */
export interface PasswordGuessesTable {
  /** HMAC of the account's name and the browser, hex: a name that was typed may be a password. */
  budget: string;
  /** The times of the latest guesses, as a list in JSON. */
  guessed_at: string;
  /** Guesses since the budget was used up, including the last one of the budget; 0: it is not used up. */
  over: number;
  /** When the row becomes irrelevant. */
  expires_at: number;
}

/** Browsers in which a user skips the second step. */
export interface TrustedBrowsersTable {
  /** SHA-256 of the token in the browser, hex. */
  token_hash: string;
  user_id: number;
  user_agent: string;
  created_at: number;
  expires_at: number;
}

export interface RecoveryCodesTable {
  /** HMAC of the code, hex; the row goes when the code is used. */
  code_hash: string;
  user_id: number;
  /** The data key that the HMAC is made with; null: one of `former_recovery_keys`. */
  key_id: string | null;
}

/** HMAC keys of old recovery codes: those made before data keys existed. */
export interface FormerRecoveryKeysTable {
  id: string;
  /** Sealed by a data key. */
  sealed_key: string;
}

/** Keys for what the database keeps sealed or as keyed hashes: see db/data-keys.ts. */
export interface DataKeysTable {
  id: string;
  /** The id of the session secret that sealed this row. A key has a row for each secret in SESSION_SECRET_KEY. */
  sealed_by: string;
  /** Counts session secrets in the order in which they came into use. */
  generation: number;
  sealed_key: string;
  /** Of the key. */
  created_at: number;
}

/** Counters of requests, on PostgreSQL only; `expire` is when a window ends, by the clock of PostgreSQL. */
export interface RateLimitsTable {
  key: string;
  points: number;
  /** Milliseconds since the epoch. */
  expire: number | null;
}

/** Accounts at providers, each of one user, who has at most one at a provider. */
export interface ProviderLinksTable {
  provider: string;
  /** As the provider sent it; a number in decimal digits. */
  account_id: string;
  user_id: number;
  created_at: number;
}

/** Starts of social sign-ins that were used, until they expire. */
export interface ConsumedStatesTable {
  /** SHA-256 of the state, hexadecimal. */
  state_hash: string;
  expires_at: number;
}

export interface ApiTokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** SHA-256 of the token, hexadecimal. */
  token_hash: string;
  /** The token's first characters, for display. */
  prefix: string;
  scope: string;
  /** Null: every application that the user may use, now and later. */
  allowed_apps: string | null;
  /** The token that approved this one in a device login. This one ends with it. Null: none. */
  parent_id: number | null;
  created_at: number;
  /** Null: never. */
  expires_at: number | null;
  /** To the minute. */
  last_used_at: number | null;
}

/** A place reserved for a token that is not created yet. */
export interface ApiTokenReservationsTable {
  /** The purpose of the token, as the folder that reserves it defines it. */
  reference: string;
  user_id: number;
  expires_at: number;
}

export interface CliProfilesTable {
  id: Generated<number>;
  /** Public name in requests. */
  key: string;
  name: string;
  scope: string;
  allowed_apps: string;
  expires_in_days: number;
  created_at: number;
  disabled_at: number | null;
}

export interface DeviceRequestsTable {
  id: Generated<number>;
  /** SHA-256 of the code, hexadecimal. */
  user_code_hash: string;
  device_code_hash: string;
  profile_id: number;
  client_name: string;
  /** The client address that made the request, for the approver to see. */
  address: string;
  /** pending, approved, denied, completed; see device-login/README.md. */
  status: string;
  /** Who decided; null: not decided, or the user was removed. */
  user_id: number | null;
  /** The API token that approved. It limits the new token. Null: a browser's session approved. */
  approver_token_id: number | null;
  created_at: number;
  expires_at: number;
  decided_at: number | null;
  completed_at: number | null;
}

/** An application as a query answers it. */
export type ApplicationRow = Selectable<ApplicationsTable>;

/** The audit log: rows are added, and deleted once they are old, but never changed. */
export interface AuditEventsTable {
  id: Generated<number>;
  at: number;
  event: string;
  actor_type: string;
  actor_id: number | null;
  actor_name: string | null;
  subject_id: number | null;
  subject_name: string | null;
  session_ref: string | null;
  address: string | null;
  user_agent: string | null;
  application: string | null;
  request_id: string | null;
  /** An object as JSON text. */
  details: string;
}

/** Names of removed users, for as long as the audit log may have events about them. */
export interface RemovedUsersTable {
  /** The former id in `users`. */
  id: number;
  username_key: string;
  removed_at: number;
}

/** Links with which a user can choose a password, once. */
export interface WelcomeLinksTable {
  /** SHA-256 of the code, hexadecimal. */
  code_hash: string;
  user_id: number;
  /** invite or reset. */
  kind: string;
  /** Who asked for it: an operator (command) or the user (mail). A newer one ends the older one of its source. */
  source: string;
  /** The e-mail address that it went to; null: it was shown to an operator. */
  sent_to: string | null;
  /** 1: its use removes the second factor. */
  removes_factor: number;
  created_at: number;
  expires_at: number;
}

/** E-mail addresses that their users have not confirmed yet. */
export interface PendingEmailsTable {
  user_id: number;
  email: string;
  email_key: string;
  /** SHA-256 of the code in the link that confirms it, hexadecimal; null: no link was sent, because it was imported. */
  code_hash: string | null;
  /** Null: it waits until another one takes its place. */
  expires_at: number | null;
}

/** Messages to send to other servers. A row is deleted once it is sent. */
export interface OutboxTable {
  id: string;
  kind: string;
  /** JSON, sealed by a data key; empty: the sender finds the message by its id. */
  payload: string;
  /** The link in the message. The row is deleted together with the link. */
  link_hash: string | null;
  /** The same for a link that confirms an e-mail address. */
  email_hash: Generated<string | null>;
  /** The application that it goes to: when the application is removed, so is the row. */
  application_id: Generated<number | null>;
  /** The webhook that it goes to: when the webhook is removed, so is the row. */
  webhook_id: Generated<number | null>;
  /** Messages of one lane are sent one after the other, by their position. */
  lane: Generated<string | null>;
  position: Generated<number | null>;
  /** 1: messages of its lane wait before it, and it is not looked at until one of them ends. */
  is_behind: Generated<number>;
  attempts: Generated<number>;
  created_at: number;
  next_attempt_at: number;
  expires_at: number;
  /** The id of the current attempt, and until when it is valid unless renewed. */
  claimed_by: Generated<string>;
  claimed_until: Generated<number>;
}

/** Which process sends the messages that only one process may send. */
export interface OutboxTurnsTable {
  name: string;
  holder: string;
  held_until: number;
}

/** Where events are sent. */
export interface WebhooksTable {
  id: Generated<number>;
  /** The public id: `wh_…`. */
  key: string;
  url: string;
  /** JSON: names of events, or `*`. */
  events: string;
  /** The key of an application: only events of it and its users. */
  app: string | null;
  description: string;
  /** Sealed by a data key. */
  sealed_secret: string;
  /** The former secret and until when it also signs. */
  old_sealed_secret: string | null;
  old_secret_until: number | null;
  created_at: number;
  disabled_at: number | null;
  last_delivered_at: number | null;
  /** The first failed attempt since the last success. */
  failing_since: number | null;
}

/** One event for one webhook. While it waits, it has a row in the outbox. */
export interface WebhookDeliveriesTable {
  /** The `webhook-id` of each attempt: `msg_…`. */
  id: string;
  webhook_id: number;
  /** The event in the audit log. */
  audit_id: number;
  event: string;
  lane: string;
  /** The JSON that is sent. */
  body: string;
  status: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  created_at: number;
  delivered_at: number | null;
  response_status: number | null;
  error: string | null;
  response_body: string | null;
  /** When it is deleted; null: it waits. */
  expires_at: number | null;
}

/** When reset links were mailed to a user. */
export interface ResetMailsTable {
  user_id: number;
  sent_at: number;
}

/** What the search for users looks at. On SQLite, a full-text index of the same name takes its place. */
export interface UserSearchTable {
  user_id: number;
  /** Folded. */
  text: string;
}

/** Numbers of rows, which triggers keep: `users`, `inactive_users`, `sessions`, and for each day since the epoch `sign_ins DAY` and `sign_ins DAY KEY` of an application. */
export interface RowCountsTable {
  name: string;
  /** On PostgreSQL, the rows of one name add up to its number. */
  count: number;
}

export interface Schema {
  rate_limits: RateLimitsTable;
  users: UsersTable;
  sessions: SessionsTable;
  second_steps: SecondStepsTable;
  totp_factors: TotpFactorsTable;
  totp_drafts: TotpDraftsTable;
  passkeys: PasskeysTable;
  passkey_handles: PasskeyHandlesTable;
  passkey_challenges: PasskeyChallengesTable;
  factor_guesses: FactorGuessesTable;
  password_guesses: PasswordGuessesTable;
  trusted_browsers: TrustedBrowsersTable;
  recovery_codes: RecoveryCodesTable;
  former_recovery_keys: FormerRecoveryKeysTable;
  data_keys: DataKeysTable;
  provider_links: ProviderLinksTable;
  spent_starts: ConsumedStatesTable;
  api_tokens: ApiTokensTable;
  api_token_reservations: ApiTokenReservationsTable;
  cli_profiles: CliProfilesTable;
  device_requests: DeviceRequestsTable;
  applications: ApplicationsTable;
  audit_events: AuditEventsTable;
  removed_users: RemovedUsersTable;
  welcome_links: WelcomeLinksTable;
  pending_emails: PendingEmailsTable;
  outbox: OutboxTable;
  outbox_turns: OutboxTurnsTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
  reset_mails: ResetMailsTable;
  oidc_keys: OidcKeysTable;
  oidc_grants: OidcGrantsTable;
  oidc_tokens: OidcTokensTable;
  oidc_requests: OidcRequestsTable;
  oidc_device_codes: OidcDeviceCodesTable;
  user_search: UserSearchTable;
  row_counts: RowCountsTable;
}

const tables = {
  rate_limits: true,
  users: true,
  sessions: true,
  second_steps: true,
  totp_factors: true,
  totp_drafts: true,
  passkeys: true,
  passkey_handles: true,
  passkey_challenges: true,
  factor_guesses: true,
  password_guesses: true,
  trusted_browsers: true,
  recovery_codes: true,
  former_recovery_keys: true,
  data_keys: true,
  provider_links: true,
  spent_starts: true,
  api_tokens: true,
  api_token_reservations: true,
  cli_profiles: true,
  device_requests: true,
  applications: true,
  audit_events: true,
  removed_users: true,
  welcome_links: true,
  pending_emails: true,
  outbox: true,
  outbox_turns: true,
  webhooks: true,
  webhook_deliveries: true,
  reset_mails: true,
  oidc_keys: true,
  oidc_grants: true,
  oidc_tokens: true,
  oidc_requests: true,
  oidc_device_codes: true,
  user_search: true,
  row_counts: true,
} satisfies Record<keyof Schema, true>;

/** The names of every table. */
export const tableNames: readonly string[] = Object.keys(tables);
