import type { ErrorName } from '../errors/registry.ts';
import type { Actor, Subject } from './actor.ts';

/** What changed about a user: the names of all changed fields, and the values of those that are not personal data. */
interface UserChanges {
  fields: readonly string[];
  from: UserRights;
  to: UserRights;
}

interface UserRights {
  role?: string;
  allowed_apps?: readonly string[];
  is_active?: boolean;
}

interface TokenFacts {
  token_id: number;
  scope: string;
  /** ISO 8601. */
  expires_at: string | null;
}

interface Decision {
  profile: string;
  client_name: string;
  token_id?: number;
}

/** The second factor that the user proved in a sign-in. */
export type UsedFactor = 'none' | 'totp' | 'recovery_code' | 'passkey' | 'trusted_browser';

/**
 * The details of each event type, besides actor and subject. They never contain a password, token, code, hash,
 * session id or a username that someone typed at a sign-in.
 */
export interface EventDetails {
  'user.created': { role: string; allowed_apps: readonly string[]; is_active: boolean };
  'user.updated': UserChanges;
  'user.deactivated': UserChanges & { sessions_ended?: number };
  'user.reactivated': UserChanges;
  'user.removed': { role: string; sessions_ended?: number };
  'user.signed_in': { method: string; second_factor: UsedFactor; sessions_ended: number };
  'session.switched': Record<never, never>;
  'session.ended': { reason: 'logout' | 'logout_all' | 'self' | 'admin' | 'command'; sessions: number };
  'sessions.ended_all': { sessions: number };
  'password.changed': { way: 'self' | 'invite' | 'reset' | 'command'; sessions_ended?: number };
  'link.issued': {
    kind: 'invite' | 'reset';
    /** ISO 8601. */
    expires_at: string;
  };
  'factor.changed': {
    kind: 'totp' | 'passkey' | 'recovery_codes' | 'trusted_browser';
    change: 'added' | 'removed' | 'renewed';
    count?: number;
    passkey_ref?: string;
    way?: 'invite' | 'reset';
    sessions_ended?: number;
  };
  'connection.changed': {
    provider: string;
    account_id: string;
    change: 'added' | 'removed';
    sessions_ended?: number;
  };
  'token.created': TokenFacts & { way: 'self' | 'device_login'; parent_token_id?: number };
  'token.revoked': TokenFacts & { way: 'self' | 'holder' | 'admin' | 'command'; children?: readonly number[] };
  'device.approved': Decision;
  'device.denied': Decision;
  'keys.rotated': Record<never, never>;
  'grant.changed': { id: string; change: 'given' | 'withdrawn'; fields: readonly string[] };
  'profile.changed': {
    key: string;
    change: 'created' | 'updated' | 'enabled' | 'disabled';
    fields: readonly string[];
  };
  'webhook.changed': {
    id: string;
    change: 'created' | 'updated' | 'removed' | 'enabled' | 'disabled' | 'secret_rotated';
    fields: readonly string[];
  };
  'application.changed': {
    key: string;
    change: 'created' | 'updated' | 'removed' | 'enabled' | 'disabled' | 'secret_rotated';
    fields: readonly string[];
  };
}

/** What an event of any type may have ended, besides the details of its type. */
interface Consequences {
  grants_ended?: number;
}

interface Refusal {
  reason: ErrorName;
  /** What was wrong, if the name of the error does not say it. Example: `counter` for a passkey. */
  cause?: string;
  route: string;
  provider_account?: string;
}

/** The details of each note type. A note is a refusal, or a step of a request that changes nothing. */
export interface NoteDetails {
  'sign_in.second_step': { method: string };
  'sign_in.refused': Refusal & { method: string };
  'confirmation.refused': Refusal & { method: string };
  'request.refused': Refusal;
}

export type EventType = keyof EventDetails;
export type NoteType = keyof NoteDetails;

interface Happening<Type extends string, Details, About> {
  readonly type: Type;
  readonly actor: Actor;
  /** The user that the event is about, or null if it is about no user. */
  readonly subject: About | null;
  readonly details: Details;
  /** The key of the application that the event is about. */
  readonly application?: string;
  /** The previous e-mail address of the user. This field is neither stored nor logged. */
  readonly formerEmail?: string;
  /**
   * Whether the event follows from another change, about which the user already gets a notice. This flag is neither
   * stored nor logged.
   */
  readonly isConsequence?: boolean;
  /**
   * Whether the user signs in from a new browser and has signed in before. This flag is neither stored nor logged.
   */
  readonly isNewBrowser?: boolean;
  /**
   * Whether the rule found nothing to change. The event is then stored only if a subscriber ended something. This
   * flag itself is neither stored nor logged.
   */
  readonly changesNothing?: boolean;
  /**
   * Whether grants that are not bound to a session end too. Set when all sessions of a user are ended, and when users
   * change their own password and revoke their API tokens. This flag is neither stored nor logged.
   */
  readonly endsAll?: boolean;
}

/** A change, as the rule that makes it records it. */
export type AppEvent = { [Type in EventType]: Happening<Type, EventDetails[Type] & Consequences, Subject> }[EventType];
/** A refusal, or a step of a request that changes nothing. */
export type Note = { [Type in NoteType]: Happening<Type, NoteDetails[Type], Pick<Subject, 'id'>> }[NoteType];

/** For the generated documentation: when an event is recorded, and what each of its details means. */
interface Words<Details> {
  when: string;
  details: { readonly [Name in keyof Required<Details>]: string };
}

const changedUser = {
  fields: 'names of the fields that changed',
  from: 'the old `role`, `allowed_apps` and `is_active`, if they changed',
  to: 'the new `role`, `allowed_apps` and `is_active`, if they changed',
};
const sessionsEnded = { sessions_ended: 'number of sessions that the change ended' };
const tokenFacts = {
  token_id: 'id of the token',
  scope: 'scope of the token',
  expires_at: 'when the token expires: ISO 8601, or null',
};
const decision = {
  profile: 'key of the profile',
  client_name: 'name that the program gave for itself',
  token_id: 'id of the API token with which the user decided; absent if the user decided in a browser',
};

export const eventWords: { readonly [Type in EventType]: Words<EventDetails[Type]> } = {
  'user.created': {
    when: 'a user is added',
    details: { role: 'role of the user', allowed_apps: 'list of applications', is_active: 'true or false' },
  },
  'user.updated': { when: 'fields of a user change', details: changedUser },
  'user.deactivated': { when: 'a user is deactivated', details: { ...changedUser, ...sessionsEnded } },
  'user.reactivated': { when: 'a user is activated again', details: changedUser },
  'user.removed': {
    when: 'a user is removed',
    details: { role: 'role that the user had', ...sessionsEnded },
  },
  'user.signed_in': {
    when: 'a user signs in, which starts a session',
    details: {
      method: 'how the user signed in: `password`, `passkey`, `link`, or the name of the provider',
      second_factor: 'second factor of the sign-in: `none`, `totp`, `recovery_code`, `passkey`, `trusted_browser`',
      sessions_ended:
        'number of sessions that the sign-in ended: those above MAX_SESSIONS_PER_USER or MAX_REMEMBERED_ACCOUNTS, earlier ones of the user in this browser, expired ones',
    },
  },
  'session.switched': { when: 'a browser switches to another of its accounts', details: {} },
  'session.ended': {
    when: 'sessions of a user, or grants that depend on them, end; each user has an event',
    details: {
      reason: 'how they ended: `logout`, `logout_all`, `self`, `admin`, `command`',
      sessions: 'number of sessions that ended',
    },
  },
  'sessions.ended_all': {
    when: 'all sessions of all users end',
    details: { sessions: 'number of sessions that ended' },
  },
  'password.changed': {
    when: 'a user gets a new password',
    details: {
      way: 'how it was set: `self`, `invite`, `reset`, `command`',
      ...sessionsEnded,
    },
  },
  'link.issued': {
    when: 'an invitation link or a link to reset the password is created for a user',
    details: { kind: '`invite`, `reset`', expires_at: 'when the link expires: ISO 8601' },
  },
  'factor.changed': {
    when: 'a second factor, a passkey, the recovery codes or the trusted browsers change',
    details: {
      kind: '`totp`, `passkey`, `recovery_codes`, `trusted_browser`',
      change: '`added`, `removed`, `renewed`; for a passkey, `renewed` means that it was renamed',
      count: 'number of trusted browsers that were removed',
      passkey_ref: 'reference that names the passkey in lists',
      way: '`invite` or `reset` if a link added the passkey, which also removes the password and ends all sessions',
      sessions_ended:
        'number of sessions that the change ended: those that a removed passkey had opened, or all of them',
    },
  },
  'connection.changed': {
    when: 'a provider account is linked to a user, or unlinked',
    details: {
      provider: 'name of the provider',
      account_id: 'id of the account at the provider',
      change: '`added`, `removed`',
      ...sessionsEnded,
    },
  },
  'token.created': {
    when: 'an API token is created',
    details: {
      ...tokenFacts,
      way: 'how it was created: `self`, `device_login`',
      parent_token_id: 'id of the token that approved the device login; absent if it was approved in a browser',
    },
  },
  'token.revoked': {
    when: 'an API token is revoked',
    details: {
      ...tokenFacts,
      way: 'who revoked it: `self`, `holder`, `admin`, `command`',
      children: 'ids of the tokens that it had approved, which are revoked with it',
    },
  },
  'device.approved': { when: 'a user approves a device login', details: decision },
  'device.denied': { when: 'a user denies a device login', details: decision },
  'keys.rotated': { when: 'the keys that sign for OpenID Connect are replaced', details: {} },
  'grant.changed': {
    when: 'a user gives an OpenID Connect application access; the user, an operator or the application withdraws it; or it ends because a code or token is used again',
    details: {
      id: 'reference that names the grant in lists',
      change: '`given`, `withdrawn`',
      fields: 'kind of the grant: `session`, `offline`, `device`, `consent`',
    },
  },
  'profile.changed': {
    when: 'a profile for device logins is added or changed',
    details: {
      key: 'key of the profile',
      change: '`created`, `updated`, `enabled`, `disabled`',
      fields: 'names of the fields that were set',
    },
  },
  'webhook.changed': {
    when: 'a webhook is added, changed or removed, or is disabled because its receiver answered 410',
    details: {
      id: 'id of the webhook',
      change: '`created`, `updated`, `removed`, `enabled`, `disabled`, `secret_rotated`',
      fields: 'names of the fields that changed',
    },
  },
  'application.changed': {
    when: 'an application is registered, changed or removed',
    details: {
      key: 'key of the application',
      change: '`created`, `updated`, `removed`, `enabled`, `disabled`, `secret_rotated`',
      fields: 'names of the fields that changed',
    },
  },
};

export const consequenceWords: Words<Consequences>['details'] = {
  grants_ended: 'number of OpenID Connect grants that ended with the change; absent if none ended',
};

const refused = {
  reason: 'name of the error',
  cause:
    'the cause, if `reason` does not say enough: `counter` if a passkey may have been copied, `no_password` if the user has no password yet',
  route: 'path pattern of the route',
  provider_account: 'id of a provider account that is not linked',
};

export const noteWords: { readonly [Type in NoteType]: Words<NoteDetails[Type]> } = {
  'sign_in.second_step': {
    when: 'the first step of a sign-in succeeds and the second one is required',
    details: { method: 'method of the first step: `password`, or the name of the provider' },
  },
  'sign_in.refused': {
    when: 'a sign-in is refused',
    details: {
      ...refused,
      method: 'how the user tried to sign in: `password`, `passkey`, `link`, or the name of the provider',
    },
  },
  'confirmation.refused': {
    when: 'the confirmation of a change is refused',
    details: { ...refused, method: 'how the user tried to confirm' },
  },
  'request.refused': {
    when: 'any other request is refused with 401, 403, 404 or 429, except with 404 for an unknown URL',
    details: refused,
  },
};

/** The names of all events that can be in the audit log: changes and refusals. */
export const auditEventNames: readonly string[] = [
  ...Object.keys(eventWords),
  ...Object.keys(noteWords).filter((name) => name.endsWith('.refused')),
];
