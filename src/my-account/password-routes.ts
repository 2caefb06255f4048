import { accountListOf } from '../accounts/guards.ts';
import { isSecondFactorOn } from '../factors/confirmation.ts';
import { requireConfirmed } from '../factors/guards.ts';
import { actorOf } from '../http/actor.ts';
import { askerOf } from '../http/asker.ts';
import type { Guard } from '../http/guard.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { knownBrowserOf } from '../signin/guards.ts';
import { changeOwnPassword, requirePasswordInput } from './change-own-password.ts';
import { changing, fieldsOf } from './guards.ts';
import { getOwnUser } from './own-user.ts';
import { type PasswordRequest, passwordReply, passwordRequest } from './schemas.ts';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Refuses a new password that may not be used, or a missing current password, before the CSRF token is checked. */
export const requireNewPassword: Guard = {
  name: 'allowed new password',
  errors: ['MISSING_REQUIRED_FIELD', 'PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG', 'PASSWORD_TOO_COMMON'],
  check: async (call) => {
    const { services, body } = call;
    const { current_password: current, new_password: next } = fieldsOf(body);
    const user = await getOwnUser(services.database, await getSession(call));
    requirePasswordInput(services.settings, user, { currentPassword: textOf(current), newPassword: textOf(next) });
    return undefined;
  },
};

/**
 * Requires a confirmed session if the user has a second factor or no password. In these cases, the current password
 * alone is not enough.
 */
const requireConfirmedWithoutPassword: Guard = {
  ...requireConfirmed,
  name: 'recent confirmation (only for users with a second factor or without a password)',
  check: async (call) => {
    const { services } = call;
    const user = await getOwnUser(services.database, await getSession(call));
    const isEnough = user.hasPassword && !isSecondFactorOn(services.settings, user);
    return isEnough ? undefined : requireConfirmed.check(call);
  },
};

async function changePassword(call: Call<PasswordRequest>) {
  const { services, body } = call;
  const { tokens, cookies } = await changeOwnPassword(
    { ...services, actor: actorOf(call) },
    {
      session: await getSession(call),
      currentPassword: body.current_password,
      newPassword: body.new_password,
      endsTokens: body.end_tokens ?? false,
      client: { asker: askerOf(call), browser: knownBrowserOf(call) },
      device: accountListOf(call),
    },
  );
  services.cookies.apply(call, cookies);
  return { success: true as const, tokens };
}

/** The JSON route for the user's password. */
export const myPasswordRoutes: AnyRoute[] = [
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/password',
    operationId: 'changeOwnPassword',
    summary: 'Change your password, or set the first one; all your other sessions end',
    guards: [requireNewPassword, requireCsrf, requireConfirmedWithoutPassword],
    limit: { name: 'account-secret', error: 'TOO_MANY_REQUESTS' },
    body: json(passwordRequest),
    fieldErrors: {
      new_password: { missing: 'MISSING_REQUIRED_FIELD', invalid: 'PASSWORD_TOO_SHORT', wrongType: 'FIELD_INVALID' },
    },
    replies: { 200: passwordReply },
    errors: ['CURRENT_PASSWORD_INCORRECT', 'PASSWORD_UNCHANGED', 'TOO_MANY_LOGINS'],
    handle: changePassword,
  }),
];
