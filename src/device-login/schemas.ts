import { type Static, type TSchema, Type } from 'typebox';
import { oneOf } from '../http/values.ts';
import type { Poll } from './poll-request.ts';
import { toProfileJson } from './profile.ts';
import { INTERVAL_SECONDS, LIFE_SECONDS } from './request.ts';
import type { StartedRequest } from './start-request.ts';
import { DEVICE_CODE_PATTERN } from './user-code.ts';

/** Makes a field optional, and accepts null too, because some clients send null for missing fields. */
const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

export const deviceRequest = Type.Object({
  clientName: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Name of the program, which the approval page shows',
  }),
  profileKey: orNull(
    Type.String({
      minLength: 6,
      maxLength: 255,
      pattern: '^[A-Za-z0-9._~-]+$',
      description: 'Key of the profile',
    }),
  ),
  profileId: orNull(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Deprecated: use profileKey' }),
  ),
});
export type DeviceRequest = Static<typeof deviceRequest>;

const profileJson = Type.Object({
  id: Type.Integer(),
  key: Type.String(),
  name: Type.String(),
  scope: Type.String(),
  allowed_apps: Type.Array(Type.String()),
  expires_in_days: Type.Integer(),
});

export const startedReply = Type.Object({
  success: Type.Literal(true),
  verification_url: Type.String(),
  user_code: Type.String(),
  device_code: Type.String(),
  expires_in: Type.Integer({ description: 'Seconds until the codes expire' }),
  interval: Type.Integer({ description: 'Seconds between two polls' }),
  client_name: Type.String(),
  profile: profileJson,
});
export type StartedReply = Static<typeof startedReply>;

export const decisionRequest = Type.Object({
  user_code: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The code, in upper or lower case, with or without the hyphen',
  }),
  action: oneOf(['approve', 'deny']),
});
export type DecisionRequest = Static<typeof decisionRequest>;

export const decisionReply = Type.Object({
  success: Type.Literal(true),
  status: oneOf(['approved', 'denied']),
  message: Type.String(),
});
export type DecisionReply = Static<typeof decisionReply>;

export const pollRequest = Type.Object({ device_code: Type.String({ maxLength: 64, pattern: DEVICE_CODE_PATTERN }) });
export type PollRequest = Static<typeof pollRequest>;

export const pollReply = Type.Object({
  success: Type.Boolean(),
  status: Type.String({ description: 'approved, pending, denied, expired or completed' }),
  message: Type.String(),
  interval: Type.Optional(Type.Integer({ description: 'Seconds between two polls' })),
  token: Type.Optional(
    Type.String({ description: 'The API token; present only in the first reply after the approval' }),
  ),
  token_prefix: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
});
export type PollReply = Static<typeof pollReply>;

export const toStarted = (started: StartedRequest, baseUrl: string): StartedReply => {
  const { is_active, ...profile } = toProfileJson(started.profile);
  return {
    success: true,
    verification_url: `${baseUrl}/authsvc/cli/device/${started.userCode}`,
    user_code: started.userCode,
    device_code: started.deviceCode,
    expires_in: LIFE_SECONDS,
    interval: INTERVAL_SECONDS,
    client_name: started.clientName,
    profile,
  };
};

const messages = {
  pending: 'The request was not decided yet',
  denied: 'The request was denied',
  expired: 'The request has expired',
  completed: 'The token was delivered already',
};

export function toPollReply(poll: Poll, isTooFast: boolean): PollReply {
  if (poll.state === 'delivered') {
    const { token, prefix, username } = poll;
    const message = 'Approved. The token is shown only in this reply';
    return { success: true, status: 'approved', message, token, token_prefix: prefix, username };
  }
  const isPending = poll.state === 'pending';
  const tooFast = `The request was not decided yet. Please poll every ${INTERVAL_SECONDS} seconds, not more often`;
  return {
    success: false,
    status: poll.state,
    message: isPending && isTooFast ? tooFast : messages[poll.state],
    ...(isPending ? { interval: INTERVAL_SECONDS } : {}),
  };
}

/** Accepts any text. The page says if it is not a code. */
export const codeQuery = Type.Object({ user_code: Type.Optional(Type.Unknown()) });
export const codeParams = Type.Object({ userCode: Type.String() });
export type CodeParams = Static<typeof codeParams>;

/** Accepts any value in each field, because the route reports what is wrong. */
export const decisionForm = Type.Object({
  action: Type.Optional(Type.Unknown({ description: 'Decision: approve or deny' })),
  _csrf: Type.Optional(Type.Unknown({ description: 'CSRF token of the page' })),
});
export type DecisionForm = Static<typeof decisionForm>;
