import { type Static, type TSchema, Type } from 'typebox';
import { listedToken } from '../api-tokens/schemas.ts';
import type { Application } from '../applications/application.ts';
import { toApplicationJson } from '../applications/schemas.ts';
import { auditEventNames } from '../events/event-types.ts';
import { oneOrMore, orNull } from '../http/values.ts';
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
  limit: word('1 to 200; 50 unless given'),
  after: word('`next` of the page before, for the same filters and order'),
};

const userFilters = {
  q: word('Part of the username, full name or e-mail address; under 3 characters: beginning of the username'),
  username: word('The username'),
  role: words('A role; may be repeated'),
  is_active: word('true or false'),
  app: word('An application that the user may use'),
  second_factor: word('true or false'),
  last_login_after: word('ISO 8601; included'),
  last_login_before: word('ISO 8601; not included. Users who never signed in are found too'),
  sort: word('username (unless given), created_at or last_login_at; with `-` in front: descending'),
};

const auditFilters = {
  user_id: word('Subject or actor'),
  user: word('Subject or actor by name, also of a removed user'),
  event: words(`An event; may be repeated: ${auditEventNames.join(', ')}`),
  address: word('Client address'),
  application: word('Key of an application'),
  since: word('ISO 8601; included'),
  until: word('ISO 8601; not included'),
};

export const userListQuery = Type.Object({ ...userFilters, ...paging });
export const userExportQuery = Type.Object(userFilters);
export const auditListQuery = Type.Object({ ...auditFilters, ...paging });
export const auditExportQuery = Type.Object(auditFilters);
export const sessionListQuery = Type.Object({
  user_id: word('The user'),
  user: word('The user by name'),
  address: word('Client address at the sign-in'),
  method: word('How the user signed in'),
  ...paging,
});
export const tokenListQuery = Type.Object({
  user_id: word('The user'),
  user: word('The user by name'),
  scope: word('The scope'),
  token_prefix: word('The first 12 characters of the token; more are allowed'),
  expires_before: word('ISO 8601; not included'),
  ...paging,
});
export const activeListQuery = Type.Object({ is_active: word('true or false'), ...paging });

const count = Type.Integer({ minimum: 0 });

/** Reply with the state of the service. */
export const overviewReply = Type.Object({
  success: Type.Literal(true),
  generated_at: instant,
  users: Type.Object({ total: count, active: count, superadmins: count }),
  sessions: Type.Object({ active: count }),
  sign_ins: Type.Array(Type.Object({ date: Type.String({ description: 'YYYY-MM-DD, UTC' }), count }), {
    description: 'Of 30 days, the oldest first',
  }),
  refusals: Type.Array(Type.Object({ reason: Type.String({ description: 'Name of an error' }), count }), {
    description: 'Of the last 24 hours, the most frequent first',
  }),
  hash_queue: Type.Object(
    { waiting: count, wait_ms: count },
    { description: 'Passwords that wait to be hashed, in the process that answers' },
  ),
  database: Type.Object({
    kind: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
    up: Type.Boolean(),
    latency_ms: Type.Number(),
  }),
  change_feed: Type.Object({
    up: Type.Boolean({ description: 'Whether the process that answers knows every change of other processes' }),
  }),
  version: Type.String(),
  attention: Type.Array(Type.Object({ kind: Type.String(), count }), {
    description:
      'superadmin_without_second_factor, token_expiring (within 7 days), webhook_failing, mail_waiting: what there is of them',
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
  version: Type.Integer({ description: 'Grows with each change of the record or of the credentials' }),
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
    ref: Type.String({ description: 'Names the session without revealing its id' }),
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
  id_token_alg: Type.String(),
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
