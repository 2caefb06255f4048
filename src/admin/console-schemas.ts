import { type Static, type TSchema, Type } from 'typebox';
import { listedToken } from '../api-tokens/schemas.ts';
import { type Application, idTokenAlgs } from '../applications/application.ts';
import { toApplicationJson } from '../applications/schemas.ts';
import { auditEventNames } from '../events/event-types.ts';
import { oneOf, oneOrMore, orNull } from '../http/values.ts';
import { toUserJson } from '../users/schemas.ts';
import type { User } from '../users/user.ts';
import type { UserDescription } from './describe-user.ts';
import type { Overview } from './overview.ts';

const instant = Type.String({ description: 'ISO 8601, UTC' });
const instantOrNull = orNull(instant);
const textOrNull = orNull(Type.String());
const integerOrNull = orNull(Type.Integer());
const texts = Type.Array(Type.String());

const word = (description: string) => Type.Optional(Type.String({ description }));
const words = (description: string) => Type.Optional(oneOrMore(description));

export const paging = {
  limit: word('Maximum number of items: 1 to 200, default 50'),
  after: word('Value of `next` from the previous page, with the same filters and the same sort order'),
};

const userFilters = {
  q: word(
    'Part of the username, full name or e-mail address. A text of 1 or 2 characters matches only the beginning of the username',
  ),
  username: word('The exact username'),
  role: words('Role of the user; may be repeated'),
  is_active: word('true: only active users; false: only inactive users'),
  app: word('Name of an application that the user may use'),
  second_factor: word('true: only users with a second factor; false: only users without one'),
  last_login_after: word('Users whose last sign-in was at or after this time, in ISO 8601'),
  last_login_before: word('Users who never signed in, or whose last sign-in was before this time, in ISO 8601'),
  sort: word('Sort order: username (default), created_at or last_login_at. A leading `-` sorts in descending order'),
};

const auditFilters = {
  user_id: word('Id of a user who is the subject or the actor of the event'),
  user: word('Name of a user who is the subject or the actor of the event; may be a removed user'),
  event: words(`Name of an event; may be repeated. The events: ${auditEventNames.join(', ')}`),
  address: word('Client address of the request that caused the event'),
  application: word('Key of the application that the event is about'),
  since: word('Events at or after this time, in ISO 8601'),
  until: word('Events before this time, in ISO 8601'),
};

export const userListQuery = Type.Object({ ...userFilters, ...paging });
export const userExportQuery = Type.Object(userFilters);
export const auditListQuery = Type.Object({ ...auditFilters, ...paging });
export const auditExportQuery = Type.Object(auditFilters);
export const sessionListQuery = Type.Object({
  user_id: word('Id of the user'),
  user: word('Name of the user'),
  address: word('Client address at the sign-in'),
  method: word('How the user signed in: password, passkey, link, or the name of a provider'),
  ...paging,
});
export const tokenListQuery = Type.Object({
  user_id: word('Id of the user'),
  user: word('Name of the user'),
  scope: word('Scope of the token'),
  token_prefix: word('Beginning of the token: at least its first 12 characters, or 32 for an imported token'),
  expires_before: word('Tokens that expire before this time, in ISO 8601'),
  ...paging,
});
export const activeListQuery = Type.Object({
  is_active: word('true: only active entries; false: only disabled entries'),
  ...paging,
});

const count = Type.Integer({ minimum: 0 });

/** Reply with the state of the service. */
export const overviewReply = Type.Object({
  success: Type.Literal(true),
  generated_at: instant,
  users: Type.Object({ total: count, active: count, superadmins: count }),
  sessions: Type.Object({ active: count }),
  sign_ins: Type.Array(Type.Object({ date: Type.String({ description: 'YYYY-MM-DD, UTC' }), count }), {
    description: 'Number of sign-ins on each of the last 30 days, oldest first',
  }),
  refusals: Type.Array(Type.Object({ reason: Type.String({ description: 'Name of an error' }), count }), {
    description: 'Refused requests of the last 24 hours by reason, most frequent first',
  }),
  hash_queue: Type.Object(
    { waiting: count, wait_ms: count },
    { description: 'Passwords that wait to be hashed in the process that sends the reply' },
  ),
  database: Type.Object({
    kind: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
    up: Type.Boolean(),
    latency_ms: Type.Number(),
  }),
  change_feed: Type.Object({
    up: Type.Boolean({
      description: 'Whether the process that sends the reply is notified of the changes that other processes make',
    }),
  }),
  version: Type.String(),
  attention: Type.Array(Type.Object({ kind: Type.String(), count }), {
    description:
      'What an operator should look at, with its count. Kinds: superadmin_without_second_factor, token_expiring (within 7 days), webhook_failing, mail_waiting',
  }),
});

export type OverviewReply = Static<typeof overviewReply>;

export function toOverview(overview: Overview): OverviewReply {
  const { generatedAt, sessions, signIns, hashQueue, database, isFeedUp, ...rest } = overview;
  return {
    success: true,
    generated_at: new Date(generatedAt).toISOString(),
    sessions: { active: sessions },
    sign_ins: signIns,
    hash_queue: { waiting: hashQueue.waiting, wait_ms: hashQueue.waitMs },
    database: { kind: database.kind, up: true, latency_ms: database.latencyMs },
    change_feed: { up: isFeedUp },
    ...rest,
  };
}

export const listOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ success: Type.Literal(true), items: Type.Array(item), next: textOrNull });

export const consoleUser = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  sub: Type.String(),
  username: Type.String(),
  full_name: Type.String(),
  role: Type.String(),
  is_active: Type.Boolean(),
  allowed_apps: texts,
  image: Type.String(),
  email: textOrNull,
  has_password: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  created_at: instant,
  last_login_at: instantOrNull,
  version: Type.Integer({ description: "Grows with each change of the user or of the user's credentials" }),
});

/** Converts a user to the JSON of a list. */
export const toConsoleUser = (user: User) => ({ ...toUserJson(user), version: user.version });

export const userList = listOf(consoleUser);

/** Reply with one user. It has more fields than a user in the list. */
export const userReply = Type.Object({
  success: Type.Literal(true),
  user: Type.Object({
    ...consoleUser.properties,
    recovery_codes_left: Type.Integer(),
    trusted_browsers: Type.Integer(),
    passkeys: Type.Array(
      Type.Object({ ref: Type.String(), name: Type.String(), created_at: instant, last_used_at: instantOrNull }),
    ),
    connections: Type.Array(Type.Object({ provider: Type.String(), account_id: Type.String(), created_at: instant })),
  }),
});

export type UserReply = Static<typeof userReply>;

/** Converts one user to JSON with all fields that a superadmin can see. */
export const toUserDetails = ({
  user,
  recoveryCodesLeft,
  trustedBrowsers,
  passkeys,
  connections,
}: UserDescription) => ({
  ...toConsoleUser(user),
  recovery_codes_left: recoveryCodesLeft,
  trusted_browsers: trustedBrowsers,
  passkeys,
  connections,
});

export const sessionList = listOf(
  Type.Object({
    ref: Type.String({ description: 'Reference that names the session without revealing its id' }),
    user_id: Type.Integer(),
    username: Type.String(),
    method: Type.String(),
    address: Type.String(),
    user_agent: Type.String(),
    created_at: instant,
    expires_at: instant,
  }),
);

export const consoleTokenList = listOf(
  Type.Object({ ...listedToken.properties, user_id: Type.Integer(), username: Type.String() }),
);

export const consoleProfile = Type.Object({
  id: Type.Integer(),
  key: Type.String(),
  name: Type.String(),
  scope: Type.String(),
  allowed_apps: texts,
  expires_in_days: Type.Integer(),
  is_active: Type.Boolean(),
});

export const profileList = listOf(consoleProfile);

export const consoleApplication = Type.Object({
  id: Type.Integer(),
  key: Type.String(),
  name: Type.String(),
  urls: texts,
  redirect_uris: texts,
  post_logout_redirect_uris: texts,
  roles: texts,
  backchannel_logout_uri: textOrNull,
  icon: textOrNull,
  is_public: Type.Boolean(),
  is_third_party: Type.Boolean(),
  device_flow: Type.Boolean(),
  id_token_alg: oneOf(idTokenAlgs),
  pkce_required: Type.Boolean(),
  is_active: Type.Boolean(),
  created_at: instant,
  version: Type.Integer(),
});

export const toConsoleApplication = (application: Application) => ({
  ...toApplicationJson(application),
  version: application.version,
});

export const applicationList = listOf(consoleApplication);
export const applicationReply = Type.Object({ success: Type.Literal(true), application: consoleApplication });
export type ApplicationReply = Static<typeof applicationReply>;
export const keyParams = Type.Object({ key: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*$' }) });

export const auditList = listOf(
  Type.Object({
    id: Type.Integer(),
    at: instant,
    event: Type.String(),
    actor_type: Type.String(),
    actor_id: integerOrNull,
    actor_name: textOrNull,
    subject_id: integerOrNull,
    subject_name: textOrNull,
    session_ref: textOrNull,
    address: textOrNull,
    user_agent: textOrNull,
    application: textOrNull,
    request_id: textOrNull,
    details: Type.Record(Type.String(), Type.Unknown()),
  }),
);
