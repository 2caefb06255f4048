// biome-ignore-all format lint: written by a program.
// Written by `npm run docs` from the routes below /authsvc/api/admin.

/** What each operation takes and answers. */
export interface AdminOperations {
  /** The state of the service, at most ten seconds old; superadmins only. */
  getOverview: { input: {  }; reply: { success: true; /** ISO 8601, UTC */ generated_at: string; users: { total: number; active: number; superadmins: number; }; sessions: { active: number; }; /** Of 30 days, the oldest first */ sign_ins: Array<{ /** YYYY-MM-DD, UTC */ date: string; count: number; }>; /** Of the last 24 hours, the most frequent first */ refusals: Array<{ /** Name of an error */ reason: string; count: number; }>; /** Passwords that wait to be hashed, in the process that answers */ hash_queue: { waiting: number; wait_ms: number; }; database: { kind: "sqlite" | "postgres"; up: boolean; latency_ms: number; }; change_feed: { /** Whether the process that answers knows every change of other processes */ up: boolean; }; version: string; /** superadmin_without_second_factor, token_expiring (within 7 days), webhook_failing, mail_waiting: what there is of them */ attention: Array<{ kind: string; count: number; }>; } };
  /** Users, filtered and sorted; superadmins only. */
  listUsers: { input: { /** Part of the username, full name or e-mail address; under 3 characters: beginning of the username */ q?: string | number | boolean; /** The username */ username?: string | number | boolean; /** A role; may be repeated */ role?: string | Array<string>; /** true or false */ is_active?: string | number | boolean; /** An application that the user may use */ app?: string | number | boolean; /** true or false */ second_factor?: string | number | boolean; /** ISO 8601; included */ last_login_after?: string | number | boolean; /** ISO 8601; not included. Users who never signed in are found too */ last_login_before?: string | number | boolean; /** username (unless given), created_at or last_login_at; with `-` in front: descending */ sort?: string | number | boolean; /** 1 to 200; 50 unless given */ limit?: string | number | boolean; /** `next` of the page before, for the same filters and order */ after?: string | number | boolean; }; reply: { success: true; items: Array<{ id: number; user_id: number; sub: string; username: string; full_name: string; role: string; is_active: boolean; allowed_apps: Array<string>; image: string; email: string | null; has_password: boolean; two_factor_enabled: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_login_at: string | null; /** Grows with each change of the record or of the credentials */ version: number; }>; next: string | null; } };
  /** One user with second factors and provider accounts; superadmins only. */
  getUser: { input: { id: string | number | boolean; }; reply: { success: true; user: { id: number; user_id: number; sub: string; username: string; full_name: string; role: string; is_active: boolean; allowed_apps: Array<string>; image: string; email: string | null; has_password: boolean; two_factor_enabled: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_login_at: string | null; /** Grows with each change of the record or of the credentials */ version: number; recovery_codes_left: number; trusted_browsers: number; passkeys: Array<{ ref: string; name: string; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_used_at: string | null; }>; connections: Array<{ provider: string; account_id: string; /** ISO 8601, UTC */ created_at: string; }>; }; } };
  /** Sessions, the newest first; superadmins only. */
  listSessions: { input: { /** The user */ user_id?: string | number | boolean; /** The user by name */ user?: string | number | boolean; /** Client address at the sign-in */ address?: string | number | boolean; /** How the user signed in */ method?: string | number | boolean; /** 1 to 200; 50 unless given */ limit?: string | number | boolean; /** `next` of the page before, for the same filters and order */ after?: string | number | boolean; }; reply: { success: true; items: Array<{ /** Names the session without revealing its id */ ref: string; user_id: number; username: string; method: string; address: string; user_agent: string; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ expires_at: string; }>; next: string | null; } };
  /** API tokens of all users, the newest first; superadmins only. */
  listTokens: { input: { /** The user */ user_id?: string | number | boolean; /** The user by name */ user?: string | number | boolean; /** The scope */ scope?: string | number | boolean; /** The first 12 characters of the token; more are allowed */ token_prefix?: string | number | boolean; /** ISO 8601; not included */ expires_before?: string | number | boolean; /** 1 to 200; 50 unless given */ limit?: string | number | boolean; /** `next` of the page before, for the same filters and order */ after?: string | number | boolean; }; reply: { success: true; items: Array<{ id: number; name: string; token_prefix: string; scope: string; allowed_apps: Array<string>; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_used_at: string | null; /** ISO 8601, UTC */ expires_at: string | null; /** id of the token that approved this one in a device login; this one ends with it */ parent_id: number | null; user_id: number; username: string; }>; next: string | null; } };
  /** Profiles of device logins; superadmins only. */
  listProfiles: { input: { /** true or false */ is_active?: string | number | boolean; /** 1 to 200; 50 unless given */ limit?: string | number | boolean; /** `next` of the page before, for the same filters and order */ after?: string | number | boolean; }; reply: { success: true; items: Array<{ id: number; key: string; name: string; scope: string; allowed_apps: Array<string>; expires_in_days: number; is_active: boolean; }>; next: string | null; } };
  /** Registered applications; superadmins only. */
  listApplications: { input: { /** true or false */ is_active?: string | number | boolean; /** 1 to 200; 50 unless given */ limit?: string | number | boolean; /** `next` of the page before, for the same filters and order */ after?: string | number | boolean; }; reply: { success: true; items: Array<{ id: number; key: string; name: string; urls: Array<string>; redirect_uris: Array<string>; post_logout_redirect_uris: Array<string>; roles: Array<string>; backchannel_logout_uri: string | null; icon: string | null; is_public: boolean; is_third_party: boolean; device_flow: boolean; id_token_alg: string; pkce_required: boolean; is_active: boolean; /** ISO 8601, UTC */ created_at: string; version: number; }>; next: string | null; } };
  /** One registered application; superadmins only. */
  getApplication: { input: { key: string | number | boolean; }; reply: { success: true; application: { id: number; key: string; name: string; urls: Array<string>; redirect_uris: Array<string>; post_logout_redirect_uris: Array<string>; roles: Array<string>; backchannel_logout_uri: string | null; icon: string | null; is_public: boolean; is_third_party: boolean; device_flow: boolean; id_token_alg: string; pkce_required: boolean; is_active: boolean; /** ISO 8601, UTC */ created_at: string; version: number; }; } };
  /** Events of the audit log, the newest first; superadmins only. */
  listAuditEvents: { input: { /** Subject or actor */ user_id?: string | number | boolean; /** Subject or actor by name, also of a removed user */ user?: string | number | boolean; /** An event; may be repeated: user.created, user.updated, user.deactivated, user.reactivated, user.removed, user.signed_in, session.switched, session.ended, sessions.ended_all, password.changed, link.issued, factor.changed, connection.changed, token.created, token.revoked, device.approved, device.denied, keys.rotated, grant.changed, profile.changed, webhook.changed, application.changed, sign_in.refused, confirmation.refused, request.refused */ event?: string | Array<string>; /** Client address */ address?: string | number | boolean; /** Key of an application */ application?: string | number | boolean; /** ISO 8601; included */ since?: string | number | boolean; /** ISO 8601; not included */ until?: string | number | boolean; /** 1 to 200; 50 unless given */ limit?: string | number | boolean; /** `next` of the page before, for the same filters and order */ after?: string | number | boolean; }; reply: { success: true; items: Array<{ id: number; /** ISO 8601, UTC */ at: string; event: string; actor_type: string; actor_id: number | null; actor_name: string | null; subject_id: number | null; subject_name: string | null; session_ref: string | null; address: string | null; user_agent: string | null; application: string | null; request_id: string | null; details: Record<string, unknown>; }>; next: string | null; } };
  /** Add a user without a password, which an invitation lets the person choose; superadmins only. */
  addUser: { input: { username: string; full_name?: string; role?: string; allowed_apps?: Array<string>; image?: string; email?: string | null; is_active?: boolean; }; reply: { success: true; user: { id: number; user_id: number; sub: string; username: string; full_name: string; role: string; is_active: boolean; allowed_apps: Array<string>; image: string; email: string | null; has_password: boolean; two_factor_enabled: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_login_at: string | null; /** Grows with each change of the record or of the credentials */ version: number; recovery_codes_left: number; trusted_browsers: number; passkeys: Array<{ ref: string; name: string; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_used_at: string | null; }>; connections: Array<{ provider: string; account_id: string; /** ISO 8601, UTC */ created_at: string; }>; }; } };
  /** Change a user as last seen; superadmins only. */
  changeUser: { input: { id: string | number | boolean; /** As the last reply has shown it */ version: number; full_name?: string; role?: string; allowed_apps?: Array<string>; image?: string; email?: string | null; is_active?: boolean; }; reply: { success: true; user: { id: number; user_id: number; sub: string; username: string; full_name: string; role: string; is_active: boolean; allowed_apps: Array<string>; image: string; email: string | null; has_password: boolean; two_factor_enabled: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_login_at: string | null; /** Grows with each change of the record or of the credentials */ version: number; recovery_codes_left: number; trusted_browsers: number; passkeys: Array<{ ref: string; name: string; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_used_at: string | null; }>; connections: Array<{ provider: string; account_id: string; /** ISO 8601, UTC */ created_at: string; }>; }; } };
  /** Remove a user as last seen; superadmins only. */
  removeUser: { input: { id: string | number | boolean; /** As the last reply has shown it */ version: string | number | boolean; }; reply: { success: true; message: string; } };
  /** A link for a user without a way in to choose the first password; superadmins only. */
  inviteUser: { input: { id: string | number | boolean; /** How long the link counts; fractions are allowed */ hours?: number; /** Mails the link to the user instead of showing it */ send?: boolean; }; reply: { success: true; /** Shown only here; null: it was mailed */ link: string | null; /** ISO 8601, UTC */ expires_at: string; } };
  /** A link for a user to choose a new password; superadmins only. */
  resetUser: { input: { id: string | number | boolean; /** How long the link counts; fractions are allowed */ hours?: number; /** Mails the link to the user instead of showing it */ send?: boolean; /** Using the link removes the second factor */ without_second_factor?: boolean; }; reply: { success: true; /** Shown only here; null: it was mailed */ link: string | null; /** ISO 8601, UTC */ expires_at: string; } };
  /** End all sessions of a user; superadmins only. */
  endSessionsOfUser: { input: { id: string | number | boolean; }; reply: { success: true; ended: number; } };
  /** Remove the authenticator app of a user with the recovery codes; superadmins only. */
  removeTotpOfUser: { input: { id: string | number | boolean; }; reply: { success: true; user: { id: number; user_id: number; sub: string; username: string; full_name: string; role: string; is_active: boolean; allowed_apps: Array<string>; image: string; email: string | null; has_password: boolean; two_factor_enabled: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_login_at: string | null; /** Grows with each change of the record or of the credentials */ version: number; recovery_codes_left: number; trusted_browsers: number; passkeys: Array<{ ref: string; name: string; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_used_at: string | null; }>; connections: Array<{ provider: string; account_id: string; /** ISO 8601, UTC */ created_at: string; }>; }; } };
  /** Ask a user for the second step again in every browser; superadmins only. */
  endTrustOfUser: { input: { id: string | number | boolean; }; reply: { success: true; user: { id: number; user_id: number; sub: string; username: string; full_name: string; role: string; is_active: boolean; allowed_apps: Array<string>; image: string; email: string | null; has_password: boolean; two_factor_enabled: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_login_at: string | null; /** Grows with each change of the record or of the credentials */ version: number; recovery_codes_left: number; trusted_browsers: number; passkeys: Array<{ ref: string; name: string; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_used_at: string | null; }>; connections: Array<{ provider: string; account_id: string; /** ISO 8601, UTC */ created_at: string; }>; }; } };
  /** Remove a passkey of a user; superadmins only. */
  removePasskeyOfUser: { input: { id: string | number | boolean; ref: string | number | boolean; }; reply: { success: true; user: { id: number; user_id: number; sub: string; username: string; full_name: string; role: string; is_active: boolean; allowed_apps: Array<string>; image: string; email: string | null; has_password: boolean; two_factor_enabled: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_login_at: string | null; /** Grows with each change of the record or of the credentials */ version: number; recovery_codes_left: number; trusted_browsers: number; passkeys: Array<{ ref: string; name: string; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_used_at: string | null; }>; connections: Array<{ provider: string; account_id: string; /** ISO 8601, UTC */ created_at: string; }>; }; } };
  /** Let the owner of an account at a provider sign in as a user; superadmins only. */
  connectUser: { input: { id: string | number | boolean; provider: string; account_id: string; }; reply: { success: true; user: { id: number; user_id: number; sub: string; username: string; full_name: string; role: string; is_active: boolean; allowed_apps: Array<string>; image: string; email: string | null; has_password: boolean; two_factor_enabled: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_login_at: string | null; /** Grows with each change of the record or of the credentials */ version: number; recovery_codes_left: number; trusted_browsers: number; passkeys: Array<{ ref: string; name: string; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_used_at: string | null; }>; connections: Array<{ provider: string; account_id: string; /** ISO 8601, UTC */ created_at: string; }>; }; } };
  /** Remove the provider account of a user; superadmins only. */
  disconnectUser: { input: { id: string | number | boolean; provider: string | number | boolean; }; reply: { success: true; user: { id: number; user_id: number; sub: string; username: string; full_name: string; role: string; is_active: boolean; allowed_apps: Array<string>; image: string; email: string | null; has_password: boolean; two_factor_enabled: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_login_at: string | null; /** Grows with each change of the record or of the credentials */ version: number; recovery_codes_left: number; trusted_browsers: number; passkeys: Array<{ ref: string; name: string; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_used_at: string | null; }>; connections: Array<{ provider: string; account_id: string; /** ISO 8601, UTC */ created_at: string; }>; }; } };
  /** End a session; superadmins only. */
  endSession: { input: { ref: string | number | boolean; }; reply: { success: true; message: string; } };
  /** Revoke an API token, with those that it has approved; superadmins only. */
  revokeTokenOfUser: { input: { id: string | number | boolean; }; reply: { success: true; message: string; } };
  /** Add a profile of device logins; superadmins only. */
  addProfile: { input: { name: string; key?: string; scope?: "read-only" | "write"; allowed_apps?: Array<string>; /** Life of its tokens, 1 to 3650; 90 unless given */ expires_in_days?: number; }; reply: { success: true; profile: { id: number; key: string; name: string; scope: string; allowed_apps: Array<string>; expires_in_days: number; is_active: boolean; }; } };
  /** Disable a profile of device logins, or put it in use again; superadmins only. */
  changeProfile: { input: { key: string | number | boolean; is_active: boolean; }; reply: { success: true; profile: { id: number; key: string; name: string; scope: string; allowed_apps: Array<string>; expires_in_days: number; is_active: boolean; }; } };
  /** Register an application; its secret is shown only in this reply; superadmins only. */
  addApplication: { input: { key: string; name: string; urls?: Array<string>; redirect_uris?: Array<string>; post_logout_redirect_uris?: Array<string>; roles?: Array<string>; backchannel_logout_uri?: string | null; icon?: string | null; is_public?: boolean; is_third_party?: boolean; device_flow?: boolean; id_token_alg?: "RS256" | "ES256"; /** Always true for a public application */ pkce_required?: boolean; }; reply: { success: true; application: { id: number; key: string; name: string; urls: Array<string>; redirect_uris: Array<string>; post_logout_redirect_uris: Array<string>; roles: Array<string>; backchannel_logout_uri: string | null; icon: string | null; is_public: boolean; is_third_party: boolean; device_flow: boolean; id_token_alg: string; pkce_required: boolean; is_active: boolean; /** ISO 8601, UTC */ created_at: string; version: number; }; /** Shown only here; absent for a public application */ secret?: string; } };
  /** Change an application as last seen; superadmins only. */
  changeApplication: { input: { key: string | number | boolean; /** As the last reply has shown it */ version: number; name?: string; is_active?: boolean; urls?: Array<string>; redirect_uris?: Array<string>; post_logout_redirect_uris?: Array<string>; roles?: Array<string>; backchannel_logout_uri?: string | null; icon?: string | null; is_public?: boolean; is_third_party?: boolean; device_flow?: boolean; id_token_alg?: "RS256" | "ES256"; /** Always true for a public application */ pkce_required?: boolean; }; reply: { success: true; application: { id: number; key: string; name: string; urls: Array<string>; redirect_uris: Array<string>; post_logout_redirect_uris: Array<string>; roles: Array<string>; backchannel_logout_uri: string | null; icon: string | null; is_public: boolean; is_third_party: boolean; device_flow: boolean; id_token_alg: string; pkce_required: boolean; is_active: boolean; /** ISO 8601, UTC */ created_at: string; version: number; }; /** Shown only here; absent for a public application */ secret?: string; } };
  /** Remove an application as last seen; superadmins only. */
  removeApplication: { input: { key: string | number | boolean; /** As the last reply has shown it */ version: string | number | boolean; }; reply: { success: true; message: string; } };
  /** Give an application a new secret, which is shown only in this reply; superadmins only. */
  rotateSecret: { input: { key: string | number | boolean; /** 24 unless given */ keep_old_hours?: number; }; reply: { success: true; /** Shown only here */ secret: string; /** ISO 8601, UTC */ expires_at: string | null; } };
  /** Webhooks, the oldest first; superadmins only. */
  listWebhooks: { input: { /** true or false */ is_active?: string | number | boolean; /** 1 to 200; 50 unless given */ limit?: string | number | boolean; /** `next` of the page before, for the same filters and order */ after?: string | number | boolean; /** true or false: whether the last attempt failed */ is_failing?: string | number | boolean; }; reply: { success: true; items: Array<{ /** wh_… */ id: string; url: string; events: Array<string>; app: string | null; description: string; is_active: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_delivered_at: string | null; /** ISO 8601, UTC */ failing_since: string | null; }>; next: string | null; } };
  /** One webhook, without its secret; superadmins only. */
  getWebhook: { input: { id: string | number | boolean; }; reply: { success: true; webhook: { /** wh_… */ id: string; url: string; events: Array<string>; app: string | null; description: string; is_active: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_delivered_at: string | null; /** ISO 8601, UTC */ failing_since: string | null; }; } };
  /** What was sent to a webhook and what waits, the newest first; superadmins only. */
  listDeliveries: { input: { id: string | number | boolean; /** waiting, delivered, failed */ status?: string | number | boolean; /** 1 to 200; 50 unless given */ limit?: string | number | boolean; /** `next` of the page before, for the same filters and order */ after?: string | number | boolean; }; reply: { success: true; items: Array<{ /** The webhook-id of each attempt */ id: string; event: string; /** waiting, delivered, failed */ status: string; attempts: number; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ next_attempt_at: string | null; /** ISO 8601, UTC */ delivered_at: string | null; response_status: number | null; /** timeout, refused, dns, tls, address_not_allowed, redirect, status, too_many_waiting */ error: string | null; /** The first 1,024 bytes */ response_body: string | null; }>; next: string | null; } };
  /** Add a webhook; its secret is shown only in this reply; superadmins only. */
  addWebhook: { input: { url: string; /** *, or some of user.created, user.updated, user.deactivated, user.reactivated, user.removed, user.signed_in, session.ended, password.changed, factor.changed, connection.changed, token.created, token.revoked, application.changed */ events: Array<string>; /** Key of an application: only events about it and the users who may use it */ app?: string | null; description?: string; }; reply: { success: true; webhook: { /** wh_… */ id: string; url: string; events: Array<string>; app: string | null; description: string; is_active: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_delivered_at: string | null; /** ISO 8601, UTC */ failing_since: string | null; }; /** Shown only here */ secret: string; } };
  /** Change, disable or enable a webhook; superadmins only. */
  changeWebhook: { input: { id: string | number | boolean; url?: string; /** *, or some of user.created, user.updated, user.deactivated, user.reactivated, user.removed, user.signed_in, session.ended, password.changed, factor.changed, connection.changed, token.created, token.revoked, application.changed */ events?: Array<string>; /** Key of an application: only events about it and the users who may use it */ app?: string | null; description?: string; is_active?: boolean; }; reply: { success: true; webhook: { /** wh_… */ id: string; url: string; events: Array<string>; app: string | null; description: string; is_active: boolean; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ last_delivered_at: string | null; /** ISO 8601, UTC */ failing_since: string | null; }; } };
  /** Remove a webhook with its deliveries; superadmins only. */
  removeWebhook: { input: { id: string | number | boolean; }; reply: { success: true; message: string; } };
  /** Give a webhook a new secret, which is shown only in this reply; superadmins only. */
  rotateWebhookSecret: { input: { id: string | number | boolean; /** 24 unless given */ keep_old_hours?: number; }; reply: { success: true; /** Shown only here */ secret: string; /** ISO 8601, UTC */ expires_at: string | null; } };
  /** Send webhook.test to a webhook now, and tell what came of it; superadmins only. */
  testWebhook: { input: { id: string | number | boolean; }; reply: { success: true; delivery: { /** The webhook-id of each attempt */ id: string; event: string; /** waiting, delivered, failed */ status: string; attempts: number; /** ISO 8601, UTC */ created_at: string; /** ISO 8601, UTC */ next_attempt_at: string | null; /** ISO 8601, UTC */ delivered_at: string | null; response_status: number | null; /** timeout, refused, dns, tls, address_not_allowed, redirect, status, too_many_waiting */ error: string | null; /** The first 1,024 bytes */ response_body: string | null; }; } };
  /** Send waiting and failed deliveries of a webhook now, or one of them; superadmins only. */
  retryDeliveries: { input: { id: string | number | boolean; /** One delivery; without it: all of the webhook */ message?: string; }; reply: { success: true; retried: number; } };
}

/** What the operations take that answer with a file. */
export interface AdminFiles {
  /** All users of a filter as CSV; superadmins only. */
  exportUsers: { /** Part of the username, full name or e-mail address; under 3 characters: beginning of the username */ q?: string | number | boolean; /** The username */ username?: string | number | boolean; /** A role; may be repeated */ role?: string | Array<string>; /** true or false */ is_active?: string | number | boolean; /** An application that the user may use */ app?: string | number | boolean; /** true or false */ second_factor?: string | number | boolean; /** ISO 8601; included */ last_login_after?: string | number | boolean; /** ISO 8601; not included. Users who never signed in are found too */ last_login_before?: string | number | boolean; /** username (unless given), created_at or last_login_at; with `-` in front: descending */ sort?: string | number | boolean; };
  /** All events of a filter as CSV; superadmins only. */
  exportAuditAsCsv: { /** Subject or actor */ user_id?: string | number | boolean; /** Subject or actor by name, also of a removed user */ user?: string | number | boolean; /** An event; may be repeated: user.created, user.updated, user.deactivated, user.reactivated, user.removed, user.signed_in, session.switched, session.ended, sessions.ended_all, password.changed, link.issued, factor.changed, connection.changed, token.created, token.revoked, device.approved, device.denied, keys.rotated, grant.changed, profile.changed, webhook.changed, application.changed, sign_in.refused, confirmation.refused, request.refused */ event?: string | Array<string>; /** Client address */ address?: string | number | boolean; /** Key of an application */ application?: string | number | boolean; /** ISO 8601; included */ since?: string | number | boolean; /** ISO 8601; not included */ until?: string | number | boolean; };
  /** All events of a filter, one JSON object per line; superadmins only. */
  exportAuditAsJson: { /** Subject or actor */ user_id?: string | number | boolean; /** Subject or actor by name, also of a removed user */ user?: string | number | boolean; /** An event; may be repeated: user.created, user.updated, user.deactivated, user.reactivated, user.removed, user.signed_in, session.switched, session.ended, sessions.ended_all, password.changed, link.issued, factor.changed, connection.changed, token.created, token.revoked, device.approved, device.denied, keys.rotated, grant.changed, profile.changed, webhook.changed, application.changed, sign_in.refused, confirmation.refused, request.refused */ event?: string | Array<string>; /** Client address */ address?: string | number | boolean; /** Key of an application */ application?: string | number | boolean; /** ISO 8601; included */ since?: string | number | boolean; /** ISO 8601; not included */ until?: string | number | boolean; };
}

type Place = readonly [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string];

/** The method and the path of each operation. */
export const adminOperations: Record<keyof AdminOperations, Place> = {
  getOverview: ['GET', '/authsvc/api/admin/overview'],
  listUsers: ['GET', '/authsvc/api/admin/users'],
  getUser: ['GET', '/authsvc/api/admin/users/{id}'],
  listSessions: ['GET', '/authsvc/api/admin/sessions'],
  listTokens: ['GET', '/authsvc/api/admin/tokens'],
  listProfiles: ['GET', '/authsvc/api/admin/profiles'],
  listApplications: ['GET', '/authsvc/api/admin/applications'],
  getApplication: ['GET', '/authsvc/api/admin/applications/{key}'],
  listAuditEvents: ['GET', '/authsvc/api/admin/audit'],
  addUser: ['POST', '/authsvc/api/admin/users'],
  changeUser: ['PATCH', '/authsvc/api/admin/users/{id}'],
  removeUser: ['DELETE', '/authsvc/api/admin/users/{id}'],
  inviteUser: ['POST', '/authsvc/api/admin/users/{id}/invite'],
  resetUser: ['POST', '/authsvc/api/admin/users/{id}/reset'],
  endSessionsOfUser: ['POST', '/authsvc/api/admin/users/{id}/end-sessions'],
  removeTotpOfUser: ['DELETE', '/authsvc/api/admin/users/{id}/totp'],
  endTrustOfUser: ['DELETE', '/authsvc/api/admin/users/{id}/trusted-browsers'],
  removePasskeyOfUser: ['DELETE', '/authsvc/api/admin/users/{id}/passkeys/{ref}'],
  connectUser: ['POST', '/authsvc/api/admin/users/{id}/connections'],
  disconnectUser: ['DELETE', '/authsvc/api/admin/users/{id}/connections/{provider}'],
  endSession: ['DELETE', '/authsvc/api/admin/sessions/{ref}'],
  revokeTokenOfUser: ['DELETE', '/authsvc/api/admin/tokens/{id}'],
  addProfile: ['POST', '/authsvc/api/admin/profiles'],
  changeProfile: ['PATCH', '/authsvc/api/admin/profiles/{key}'],
  addApplication: ['POST', '/authsvc/api/admin/applications'],
  changeApplication: ['PATCH', '/authsvc/api/admin/applications/{key}'],
  removeApplication: ['DELETE', '/authsvc/api/admin/applications/{key}'],
  rotateSecret: ['POST', '/authsvc/api/admin/applications/{key}/rotate-secret'],
  listWebhooks: ['GET', '/authsvc/api/admin/webhooks'],
  getWebhook: ['GET', '/authsvc/api/admin/webhooks/{id}'],
  listDeliveries: ['GET', '/authsvc/api/admin/webhooks/{id}/deliveries'],
  addWebhook: ['POST', '/authsvc/api/admin/webhooks'],
  changeWebhook: ['PATCH', '/authsvc/api/admin/webhooks/{id}'],
  removeWebhook: ['DELETE', '/authsvc/api/admin/webhooks/{id}'],
  rotateWebhookSecret: ['POST', '/authsvc/api/admin/webhooks/{id}/rotate-secret'],
  testWebhook: ['POST', '/authsvc/api/admin/webhooks/{id}/test'],
  retryDeliveries: ['POST', '/authsvc/api/admin/webhooks/{id}/retry'],
};

export const adminFiles: Record<keyof AdminFiles, Place> = {
  exportUsers: ['GET', '/authsvc/api/admin/users.csv'],
  exportAuditAsCsv: ['GET', '/authsvc/api/admin/audit.csv'],
  exportAuditAsJson: ['GET', '/authsvc/api/admin/audit.jsonl'],
};

const codes = [
  'ACCOUNT_INACTIVE',
  'ADDRESS_NOT_ALLOWED',
  'APPLICATION_KEY_TAKEN',
  'APPLICATION_NOT_FOUND',
  'APPLICATION_PUBLIC',
  'APP_NOT_ALLOWED',
  'BODY_INVALID',
  'BODY_TOO_LARGE',
  'CHANGED_MEANWHILE',
  'CONFIRMATION_REQUIRED',
  'CONNECTION_EXISTS',
  'CONNECTION_TAKEN',
  'CONTENT_TYPE_UNSUPPORTED',
  'CROSS_SITE_REQUEST',
  'CSRF_INVALID',
  'CURSOR_INVALID',
  'DELIVERY_NOT_FOUND',
  'EMAIL_INVALID',
  'EMAIL_MISSING',
  'EXPIRES_DAYS_INVALID',
  'FIELD_INVALID',
  'HOST_NOT_ALLOWED',
  'HTTPS_REQUIRED',
  'ID_INVALID',
  'INTERNAL_ERROR',
  'LAST_SUPERADMIN',
  'MAIL_OFF',
  'METHOD_NOT_ALLOWED',
  'MISSING_REQUIRED_FIELD',
  'NOT_FOUND',
  'NOT_SIGNED_IN',
  'OVERLOADED',
  'PROFILE_KEY_TAKEN',
  'PROFILE_NOT_FOUND',
  'REF_UNKNOWN',
  'SESSION_REQUIRED',
  'SUPERADMIN_REQUIRED',
  'TOKEN_INVALID',
  'TOKEN_NOT_FOUND',
  'TOKEN_SCOPE_REQUIRED',
  'TOO_MANY_REQUESTS',
  'URL_INVALID',
  'USERNAME_INVALID',
  'USERNAME_TAKEN',
  'USER_HAS_WAY_IN',
  'USER_NOT_FOUND',
  'WEBHOOK_NOT_FOUND',
] as const;

/** Why the service refuses an operation. */
export type AdminErrorCode = (typeof codes)[number];

/** Whether this version of the client knows the name of a refusal. */
export const isAdminErrorCode = (text: unknown): text is AdminErrorCode => codes.some((code) => code === text);
