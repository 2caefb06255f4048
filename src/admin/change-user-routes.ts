import { type DoneReply, doneReply, idParams } from '../api-tokens/schemas.ts';
import { AppError } from '../errors/app-error.ts';
import { changeBy } from '../events/change.ts';
import { removePasskey } from '../factors/remove-passkey.ts';
import { disableSecondFactor, endTrust } from '../factors/second-factor.ts';
import { actorOf } from '../http/actor.ts';
import { status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { endSessionByRef, endUserSessions } from '../sessions/end-sessions.ts';
import { linkAccount, unlinkAccount } from '../social/link-account.ts';
import { requireNewName } from '../users/add-user.ts';
import { changeUser } from '../users/change-user.ts';
import { removeUser } from '../users/remove-user.ts';
import { inviteAgain, linkHours, type OfferedLink, offerReset } from '../welcome/offer-link.ts';
import { addUserWithoutPassword } from './add-user-without-password.ts';
import {
  type ConnectionRequest,
  connectionRequest,
  emptyRequest,
  endedReply,
  type InviteRequest,
  inviteRequest,
  linkReply,
  type NewUserRequest,
  newUserRequest,
  passkeyParams,
  providerParams,
  type ResetRequest,
  refParams,
  resetRequest,
  type UserChangeRequest,
  userChangeRequest,
  type VersionQuery,
  versionQuery,
} from './change-schemas.ts';
import { toUserDetails, userReply } from './console-schemas.ts';
import { orCurrent } from './current-record.ts';
import { describeUser } from './describe-user.ts';
import { changing } from './guards.ts';
import { getTarget, requireTouchable } from './protect-superadmins.ts';
import { readConnection } from './read-connection.ts';
import { readUserFields } from './user-fields.ts';

type UserCall<Body = unknown, Query = unknown> = Call<Body, Query, { id: string }>;

/** Returns the database, the time and the actor. Every rule that changes something needs them. */
const changeOf = (call: Call) => changeBy(call.services, actorOf(call));

const targetOf = (call: UserCall) => getTarget(call.services.database, actorOf(call), Number(call.params.id));

const detailsOf = async ({ services }: Call, id: number) => toUserDetails(await describeUser(services, id));

async function userOf(call: UserCall) {
  return { success: true as const, user: await detailsOf(call, Number(call.params.id)) };
}

async function add(call: Call<NewUserRequest>) {
  const { services, body } = call;
  const { settings } = services;
  const { isActive, ...fields } = readUserFields(body, settings.ROLES);
  const user = { ...fields, name: body.username, role: fields.role ?? 'normaluser', isInactive: isActive === false };
  requireTouchable(actorOf(call), [user.role]);
  const { id } = await addUserWithoutPassword({ ...changeOf(call), appName: settings.APP_NAME }, user);
  return status(201, { success: true as const, user: await detailsOf(call, id) });
}

async function change(call: UserCall<UserChangeRequest>) {
  const { services, body } = call;
  const { id } = await targetOf(call);
  const fields = readUserFields(body, services.settings.ROLES);
  requireTouchable(actorOf(call), [fields.role]);
  const changing = changeUser(changeOf(call), { id, version: body.version }, fields);
  await orCurrent(changing, () => detailsOf(call, id));
  return userOf(call);
}

async function remove(call: UserCall<unknown, VersionQuery>): Promise<DoneReply> {
  const user = await targetOf(call);
  const removing = removeUser(changeOf(call), user, Number(call.query.version));
  await orCurrent(removing, () => detailsOf(call, user.id));
  return { success: true, message: 'The user has been removed' };
}

const linkNeeds = (call: Call) => {
  const { settings, outbox, baseUrl } = call.services;
  return { ...changeOf(call), settings, outbox, baseUrl: baseUrl() };
};

const toLinkReply = ({ link, expiresAt }: OfferedLink) =>
  status(201, { success: true as const, link, expires_at: new Date(expiresAt).toISOString() });

async function invite(call: UserCall<InviteRequest>) {
  const { hours = linkHours.invite, send: isSent = false } = call.body;
  const user = await targetOf(call);
  return toLinkReply(await inviteAgain(linkNeeds(call), { user, hours, isSent }));
}

async function reset(call: UserCall<ResetRequest>) {
  const { hours = linkHours.reset, without_second_factor: removesFactor = false, send: isSent = false } = call.body;
  const user = await targetOf(call);
  return toLinkReply(await offerReset(linkNeeds(call), { user, hours, removesFactor, isSent }));
}

async function endSessions(call: UserCall) {
  const ended = await endUserSessions(changeOf(call), await targetOf(call), 'admin');
  return { success: true as const, ended };
}

async function endOneSession(call: Call<unknown, unknown, { ref: string }>): Promise<DoneReply> {
  await endSessionByRef(changeOf(call), call.params.ref, 'admin');
  return { success: true, message: 'The session has ended' };
}

async function removeTotp(call: UserCall) {
  const user = await targetOf(call);
  await disableSecondFactor(changeOf(call), user).catch((error: unknown) => {
    const isOff = error instanceof AppError && error.code === 'TWO_FACTOR_NOT_ON';
    throw isOff ? new AppError('REF_UNKNOWN') : error;
  });
  return userOf(call);
}

async function removeTrust(call: UserCall) {
  if ((await endTrust(changeOf(call), await targetOf(call))) === 0) throw new AppError('REF_UNKNOWN');
  return userOf(call);
}

async function removeOnePasskey(call: Call<unknown, unknown, { id: string; ref: string }>) {
  const { settings } = call.services;
  await removePasskey({ ...changeOf(call), settings }, await targetOf(call), { ref: call.params.ref, mayBeLast: true });
  return userOf(call);
}

async function connect(call: UserCall<ConnectionRequest>) {
  const connection = readConnection(call.services.settings, call.body);
  await linkAccount(changeOf(call), { ...connection, user: await targetOf(call) });
  return status(201, await userOf(call));
}

async function disconnect(call: Call<unknown, unknown, { id: string; provider: string }>) {
  const { settings } = call.services;
  await unlinkAccount({ ...changeOf(call), settings }, await targetOf(call), call.params.provider);
  return userOf(call);
}

const ofUser = { ...changing, params: idParams } as const;
const idErrors = { id: { invalid: 'ID_INVALID' } } as const;
const targetErrors = ['USER_NOT_FOUND', 'SESSION_REQUIRED'] as const;

/** JSON routes with which superadmins change users and sessions. */
export const changeUserRoutes: AnyRoute[] = [
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/admin/users',
    operationId: 'addUser',
    summary: 'Add a user without a password; the user chooses one with an invitation link; superadmins only',
    body: json(newUserRequest),
    fieldErrors: { username: { invalid: 'USERNAME_INVALID' } },
    replies: { 201: userReply },
    errors: ['USERNAME_INVALID', 'FIELD_INVALID', 'EMAIL_INVALID', 'USERNAME_TAKEN', 'SESSION_REQUIRED'],
    checkInput: ({ body, services }) => {
      requireNewName(body.username);
      readUserFields(body, services.settings.ROLES);
    },
    handle: add,
  }),
  defineRoute({
    ...ofUser,
    method: 'PATCH',
    path: '/authsvc/api/admin/users/:id',
    operationId: 'changeUser',
    summary: "Change a user if the user's version is still the given one; superadmins only",
    body: json(userChangeRequest),
    fieldErrors: idErrors,
    replies: { 200: userReply },
    errors: [...targetErrors, 'FIELD_INVALID', 'EMAIL_INVALID', 'CHANGED_MEANWHILE', 'LAST_SUPERADMIN'],
    checkInput: ({ body, services }) => void readUserFields(body, services.settings.ROLES),
    handle: change,
  }),
  defineRoute({
    ...ofUser,
    method: 'DELETE',
    path: '/authsvc/api/admin/users/:id',
    operationId: 'removeUser',
    summary: "Remove a user if the user's version is still the given one; superadmins only",
    query: versionQuery,
    body: json(emptyRequest),
    fieldErrors: idErrors,
    replies: { 200: doneReply },
    errors: [...targetErrors, 'CHANGED_MEANWHILE', 'LAST_SUPERADMIN'],
    handle: remove,
  }),
  defineRoute({
    ...ofUser,
    method: 'POST',
    path: '/authsvc/api/admin/users/:id/invite',
    operationId: 'inviteUser',
    summary: 'Create an invitation link with which a user who cannot sign in yet chooses a password; superadmins only',
    body: json(inviteRequest),
    fieldErrors: idErrors,
    replies: { 201: linkReply },
    errors: [...targetErrors, 'USER_HAS_WAY_IN', 'MAIL_OFF', 'EMAIL_MISSING'],
    handle: invite,
  }),
  defineRoute({
    ...ofUser,
    method: 'POST',
    path: '/authsvc/api/admin/users/:id/reset',
    operationId: 'resetUser',
    summary: 'Create a link with which a user chooses a new password; superadmins only',
    body: json(resetRequest),
    fieldErrors: idErrors,
    replies: { 201: linkReply },
    errors: [...targetErrors, 'ACCOUNT_INACTIVE', 'MAIL_OFF', 'EMAIL_MISSING'],
    handle: reset,
  }),
  defineRoute({
    ...ofUser,
    method: 'POST',
    path: '/authsvc/api/admin/users/:id/end-sessions',
    operationId: 'endSessionsOfUser',
    summary: 'End all sessions of a user; superadmins only',
    body: json(emptyRequest),
    fieldErrors: idErrors,
    replies: { 200: endedReply },
    errors: targetErrors,
    handle: endSessions,
  }),
  defineRoute({
    ...ofUser,
    method: 'DELETE',
    path: '/authsvc/api/admin/users/:id/totp',
    operationId: 'removeTotpOfUser',
    summary: "Remove a user's authenticator app and recovery codes; superadmins only",
    body: json(emptyRequest),
    fieldErrors: idErrors,
    replies: { 200: userReply },
    errors: [...targetErrors, 'REF_UNKNOWN'],
    handle: removeTotp,
  }),
  defineRoute({
    ...ofUser,
    method: 'DELETE',
    path: '/authsvc/api/admin/users/:id/trusted-browsers',
    operationId: 'endTrustOfUser',
    summary: 'Stop trusting all browsers of a user, so that each one asks for the second step again; superadmins only',
    body: json(emptyRequest),
    fieldErrors: idErrors,
    replies: { 200: userReply },
    errors: [...targetErrors, 'REF_UNKNOWN'],
    handle: removeTrust,
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/admin/users/:id/passkeys/:ref',
    operationId: 'removePasskeyOfUser',
    summary: 'Remove a passkey of a user; superadmins only',
    params: passkeyParams,
    body: json(emptyRequest),
    fieldErrors: idErrors,
    replies: { 200: userReply },
    errors: [...targetErrors, 'REF_UNKNOWN'],
    handle: removeOnePasskey,
  }),
  defineRoute({
    ...ofUser,
    method: 'POST',
    path: '/authsvc/api/admin/users/:id/connections',
    operationId: 'connectUser',
    summary: 'Link a provider account to a user, who can then sign in with it; superadmins only',
    body: json(connectionRequest),
    fieldErrors: idErrors,
    replies: { 201: userReply },
    errors: [...targetErrors, 'FIELD_INVALID', 'CONNECTION_TAKEN', 'CONNECTION_EXISTS'],
    checkInput: ({ body, services }) => void readConnection(services.settings, body),
    handle: connect,
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/admin/users/:id/connections/:provider',
    operationId: 'disconnectUser',
    summary: 'Remove the link between a user and a provider account; superadmins only',
    params: providerParams,
    body: json(emptyRequest),
    fieldErrors: idErrors,
    replies: { 200: userReply },
    errors: [...targetErrors, 'REF_UNKNOWN'],
    handle: disconnect,
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/admin/sessions/:ref',
    operationId: 'endSession',
    summary: 'End a session; superadmins only',
    params: refParams,
    body: json(emptyRequest),
    replies: { 200: doneReply },
    errors: ['REF_UNKNOWN', 'SESSION_REQUIRED'],
    handle: endOneSession,
  }),
];
