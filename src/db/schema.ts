import type { Generated, Selectable } from 'kysely';
import type {
  ApplicationsTable,
  OidcDeviceCodesTable,
  OidcGrantsTable,
  OidcKeysTable,
  OidcRequestsTable,
  OidcTokensTable,
} from './application-tables.ts';

/** Users. In all tables, instants (`…_at`) are milliseconds since the epoch, UTC, and lists are JSON texts. */
export interface UsersTable {
  id: Generated<number>;
  /** UUID version 4 that identifies the user to applications. */
  sub: Generated<string>;
  /** As the user or operator wrote it. */
  username: string;
  /** Normalized username, which must be unique: see users/username.ts. */
  username_key: string;
  full_name: string;
  role: string;
  allowed_apps: string;
  image: string;
  /** Empty if the user has no password. */
  password_hash: string;
  /** Grows by one with each new password, but not when the same password is hashed again. */
  password_version: Generated<number>;
  /** Grows by one with each change of the record or of the user's credentials, but not with a sign-in. */
  version: Generated<number>;
  created_at: number;
  /** When the user was deactivated; null while the user is active. */
  deactivated_at: number | null;
  last_login_at: number | null;
  /** Confirmed e-mail address as it was written; null if there is none. */
  email: Generated<string | null>;
  /** Normalized address, the same for addresses that differ only in case: see lib/email-address.ts. */
  email_key: Generated<string | null>;
  /** When the record last changed. Applications can see this. */
  updated_at: Generated<number>;
  /** This column and the next two are case-folded copies for the search: see lib/fold-text.ts. */
  folded_username: Generated<string>;
  folded_full_name: Generated<string>;
  folded_apps: Generated<string>;
  /** 1 if the user has an authenticator app, else 0. Triggers maintain it. */
  has_factor: Generated<number>;
}

export interface SessionsTable {
  /** UUID version 4. */
  id: string;
  user_id: number;
  /** How the user signed in: password, link, passkey or the name of a provider. */
  method: string;
  /** Client address and program at the time of the sign-in. Operators see them in lists. */
  address: string;
  user_agent: string;
  created_at: number;
  expires_at: number;
  /** When the user last proved who they are, by password or another factor. */
  authenticated_at: Generated<number>;
  /** The methods of that proof: JSON list of values from sessions/amr.ts. */
  amr: Generated<string>;
  /** The browser whose account list contains the session, and the name of that list. Both are empty if there is none. */
  browser: Generated<string>;
  device: Generated<string>;
  /** The `ref` of the passkey that started the session; null if another method started it. */
  passkey_ref: Generated<string | null>;
  /** Permanent, unique name of the session for lists and the audit log. Unlike the id, it is not secret. */
  ref: Generated<string>;
  /** When the session was last used, accurate to five minutes. */
  last_seen_at: Generated<number>;
  /** Until when sensitive changes need no new proof of who the user is; null: they need one. */
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
  /** The TOTP secret, sealed. */
  secret: string;
  /** The data key that sealed the secret. Null if a session secret sealed it, before data keys existed. */
  key_id: string | null;
  /** The time step of the last accepted code. Codes of this step and of earlier steps are refused. */
  last_step: number;
  confirmed_at: number;
}

/** Authenticator apps that are being set up, either in a session or in a sign-in that waits for its second step. */
export interface TotpDraftsTable {
  id: Generated<number>;
  user_id: number;
  session_id: string | null;
  second_step_id: string | null;
  /** The TOTP secret, sealed by the data key `key_id`. */
  secret: string;
  key_id: string;
  attempts_left: number;
  expires_at: number;
}

/** Passkeys of users. */
export interface PasskeysTable {
  /** Random name of the passkey in lists. */
  ref: string;
  user_id: number;
  /** The id that the authenticator gave the passkey, base64url. */
  credential_id: string;
  /** The public key of the passkey: a COSE key, base64url. */
  public_key: string;
  /** The authenticator's signature counter at the last use of the passkey. 0 if the authenticator does not count. */
  counter: number;
  /** How browsers can reach the authenticator, such as `usb` or `internal`: a JSON list. */
  transports: string;
  /** A UUID for the model of the authenticator. */
  aaguid: string;
  name: string;
  /** 1 if the authenticator keeps copies of the passkey elsewhere. */
  backed_up: number;
  /** The host name to which the passkey is bound. */
  rp_id: string;
  created_at: number;
  last_used_at: number | null;
  /**
   * The handle that names the user to the authenticator. Null: the user's handle in `passkey_handles`. Empty: an imported
   * passkey whose handle is unknown until its first use.
   */
  user_handle: Generated<string | null>;
}

/** The handles that name users to authenticators. */
export interface PasskeyHandlesTable {
  user_id: number;
  /** 64 random bytes, base64url. */
  handle: string;
}

/** Challenges that wait for a signed reply from an authenticator. */
export interface PasskeyChallengesTable {
  /** SHA-256 of the challenge, hex. */
  challenge_hash: string;
  /** The operation for which the reply may be used. */
  purpose: string;
  /** The browser that requested the challenge: see http/csrf.ts. */
  browser: string;
  /** The session in which the challenge was requested; null if there was none. */
  session_id: string | null;
  expires_at: number;
}

/** Number of wrong codes since a user's last correct code, over all factors and sign-ins. */
export interface FactorGuessesTable {
  user_id: number;
  guesses: number;
  /** Until when further guesses are refused. */
  blocked_until: number;
}

/**
 * Wrong passwords for one account. Each browser in which the account's owner has signed in has its own row. All other
 * browsers share one row.
 */
export interface PasswordGuessesTable {
  /** HMAC of the account's name and the browser, hex. The name is hashed because people sometimes type their password there. */
  budget: string;
  /** The times of the latest guesses, as a JSON list. */
  guessed_at: string;
  /** Number of guesses since the budget was used up, including the last guess of the budget. 0 if it is not used up. */
  over: number;
  /** When the row may be deleted. */
  expires_at: number;
}

/** Browsers in which a user need not do the second step. */
export interface TrustedBrowsersTable {
  /** SHA-256 of the token in the browser, hex. */
  token_hash: string;
  user_id: number;
  user_agent: string;
  created_at: number;
  expires_at: number;
}

export interface RecoveryCodesTable {
  /** HMAC of the code, hex. The row is deleted when the code is used. */
  code_hash: string;
  user_id: number;
  /** The data key with which the HMAC was made. Null: a key in `former_recovery_keys`. */
  key_id: string | null;
}

/** HMAC keys of recovery codes that were created before data keys existed. */
export interface FormerRecoveryKeysTable {
  id: string;
  /** The HMAC key, sealed by a data key. */
  sealed_key: string;
}

/** Keys that seal values in the database or make keyed hashes: see db/data-keys.ts. */
export interface DataKeysTable {
  id: string;
  /** Id of the session secret that sealed this row. A data key has one row for each secret in SESSION_SECRET_KEY. */
  sealed_by: string;
  /** Numbers the session secrets in the order in which they were first used. */
  generation: number;
  sealed_key: string;
  /** When the data key was created. */
  created_at: number;
}

/** Request counters for rate limits, on PostgreSQL only. */
export interface RateLimitsTable {
  key: string;
  points: number;
  /** End of the counting window in milliseconds since the epoch, by the clock of PostgreSQL. */
  expire: number | null;
}

/** Accounts at providers. Each belongs to one user. A user has at most one account at each provider. */
export interface ProviderLinksTable {
  provider: string;
  /** As the provider sent it. A number is stored in decimal digits. */
  account_id: string;
  user_id: number;
  created_at: number;
}

/** States of social sign-ins that have been used. They are kept until they expire. */
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
  /** The first characters of the token, for display. */
  prefix: string;
  scope: string;
  /** Null: all applications that the user may use, now and in future. */
  allowed_apps: string | null;
  /**
   * The token that approved this token in a device login; null if none did. When the approving token ends, this token
   * ends too.
   */
  parent_id: number | null;
  created_at: number;
  /** Null if the token never expires. */
  expires_at: number | null;
  /** When the token was last used, accurate to the minute; null: never. */
  last_used_at: number | null;
}

/** A place that is reserved for a token that will be created later. */
export interface ApiTokenReservationsTable {
  /** Identifies what the token is for. The folder that makes the reservation defines the format. */
  reference: string;
  user_id: number;
  expires_at: number;
}

export interface CliProfilesTable {
  id: Generated<number>;
  /** The public name of the profile, which requests contain. */
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
  /** The client address that made the request. The approving user sees it. */
  address: string;
  /** pending, approved, denied or completed; see device-login/README.md. */
  status: string;
  /** The user who approved or denied the login. Null before the decision, and after that user was removed. */
  user_id: number | null;
  /** The API token that approved, which limits the new token. Null if a browser session approved. */
  approver_token_id: number | null;
  created_at: number;
  expires_at: number;
  decided_at: number | null;
  completed_at: number | null;
}

/** An application as queries return it. */
export type ApplicationRow = Selectable<ApplicationsTable>;

/** The audit log. Rows are added, and are deleted when they are old. They are never changed. */
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
  /** A JSON object as text. */
  details: string;
}

/** Names of removed users. They are kept as long as the audit log may contain events about those users. */
export interface RemovedUsersTable {
  /** The user's former id in `users`. */
  id: number;
  username_key: string;
  removed_at: number;
}

/** Links with which a user can choose a password. Each link works once. */
export interface WelcomeLinksTable {
  /** SHA-256 of the code, hexadecimal. */
  code_hash: string;
  user_id: number;
  /** invite or reset. */
  kind: string;
  /** Who requested the link: an operator (command) or the user (mail). A new link ends the previous one of the same source. */
  source: string;
  /** The e-mail address to which the link was sent. Null if it was shown to an operator. */
  sent_to: string | null;
  /** 1 if using the link also removes the second factor. */
  removes_factor: number;
  created_at: number;
  expires_at: number;
}

/** E-mail addresses that their users have not confirmed yet. */
export interface PendingEmailsTable {
  user_id: number;
  email: string;
  email_key: string;
  /** SHA-256 of the code in the confirmation link, hexadecimal. Null for an imported address, for which no link was sent. */
  code_hash: string | null;
  /** Null if the address waits without a time limit. It ends when another address replaces it. */
  expires_at: number | null;
}

/** Messages to other servers that are not sent yet. A row is deleted when its message is sent. */
export interface OutboxTable {
  id: string;
  kind: string;
  /** JSON, sealed by a data key. If empty, the sender finds the content by the id of the row. */
  payload: string;
  /** The welcome link that the message contains. The row is deleted together with the link. */
  link_hash: string | null;
  /** The e-mail confirmation link that the message contains. The row is deleted together with the link. */
  email_hash: Generated<string | null>;
  /** The receiving application. When it is removed, the row is deleted. */
  application_id: Generated<number | null>;
  /** The receiving webhook. When it is removed, the row is deleted. */
  webhook_id: Generated<number | null>;
  /** Messages with the same lane are sent one after another, in the order of their position. */
  lane: Generated<string | null>;
  position: Generated<number | null>;
  /** 1 if earlier messages of its lane are still waiting. The sender skips the row until one of them has ended. */
  is_behind: Generated<number>;
  attempts: Generated<number>;
  created_at: number;
  next_attempt_at: number;
  expires_at: number;
  /** The id of the current attempt, and the time at which its claim on the row ends unless it is renewed. */
  claimed_by: Generated<string>;
  claimed_until: Generated<number>;
}

/** Which process may send messages of a kind that only one process at a time may send. */
export interface OutboxTurnsTable {
  name: string;
  holder: string;
  held_until: number;
}

/** Addresses to which events are sent. */
export interface WebhooksTable {
  id: Generated<number>;
  /** The public id, of the form `wh_…`. */
  key: string;
  url: string;
  /** JSON: a list of event names, or `*` for all events. */
  events: string;
  /** Key of an application. If set, only events of that application and of its users are sent. */
  app: string | null;
  description: string;
  /** The secret that signs the messages, sealed by a data key. */
  sealed_secret: string;
  /** The previous secret, and the time until which messages are signed with it too. */
  old_sealed_secret: string | null;
  old_secret_until: number | null;
  created_at: number;
  disabled_at: number | null;
  last_delivered_at: number | null;
  /** The time of the first failed attempt since the last success. */
  failing_since: number | null;
}

/** One event for one webhook. While the delivery waits, it also has a row in the outbox. */
export interface WebhookDeliveriesTable {
  /** The `webhook-id` header of every attempt, of the form `msg_…`. */
  id: string;
  webhook_id: number;
  /** Id of the event in the audit log. */
  audit_id: number;
  event: string;
  lane: string;
  /** The JSON text that is sent. */
  body: string;
  status: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  created_at: number;
  delivered_at: number | null;
  response_status: number | null;
  error: string | null;
  response_body: string | null;
  /** When the row is deleted. Null while the delivery waits. */
  expires_at: number | null;
}

/** When reset links were mailed to a user. */
export interface ResetMailsTable {
  user_id: number;
  sent_at: number;
}

/** The texts that the search for users compares. On SQLite, this table is a full-text index. */
export interface UserSearchTable {
  user_id: number;
  /** The searched texts of the user, case-folded. */
  text: string;
}

/**
 * Row counts that triggers maintain. The names are `users`, `inactive_users`, `sessions` and, for each day since the epoch,
 * `sign_ins DAY` for all sign-ins and `sign_ins DAY KEY` for sign-ins to one application.
 */
export interface RowCountsTable {
  name: string;
  /** On PostgreSQL a name can have several rows. Their sum is the count. */
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

/** The names of all tables. */
export const tableNames: readonly string[] = Object.keys(tables);
