import { tokenById } from '../api-tokens/queries.ts';
import { revokeAnyToken } from '../api-tokens/revoke-token.ts';
import { type DoneReply, doneReply, idParams } from '../api-tokens/schemas.ts';
import { DEFAULT_LIFE_DAYS } from '../api-tokens/token.ts';
import { addApplication, type WithSecret } from '../applications/add-application.ts';
import { changeApplication } from '../applications/change-application.ts';
import { type ApplicationFields, parseFields, parseKey } from '../applications/fields.ts';
import { getApplication } from '../applications/find-application.ts';
import { removeApplication } from '../applications/remove-application.ts';
import { DEFAULT_KEEP_HOURS, rotateSecret } from '../applications/rotate-secret.ts';
import { addProfile, requireProfile } from '../device-login/add-profile.ts';
import { toProfileJson } from '../device-login/profile.ts';
import { setProfileState } from '../device-login/set-profile-state.ts';
import { AppError } from '../errors/app-error.ts';
import { changeBy } from '../events/change.ts';
import { actorOf } from '../http/actor.ts';
import { status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { isoOrNull } from '../lib/instant.ts';
import { parseAppNames } from '../users/fields.ts';
import {
  type ApplicationChangeRequest,
  applicationChangeRequest,
  emptyRequest,
  type NewApplicationRequest,
  type NewProfileRequest,
  newApplicationRequest,
  newProfileRequest,
  type ProfileChangeRequest,
  profileChangeRequest,
  profileReply,
  type RotateRequest,
  rotatedReply,
  rotateRequest,
  secretReply,
  type VersionQuery,
  versionQuery,
} from './change-schemas.ts';
import { keyParams, toConsoleApplication } from './console-schemas.ts';
import { orCurrent } from './current-record.ts';
import { changing } from './guards.ts';
import { getTarget } from './protect-superadmins.ts';

type KeyCall<Body = unknown, Query = unknown> = Call<Body, Query, { key: string }>;

/** Returns the database, the time and the actor. Every rule that changes something needs them. */
const changeOf = (call: Call) => changeBy(call.services, actorOf(call));

async function revokeToken(call: Call<unknown, unknown, { id: string }>): Promise<DoneReply> {
  const { database } = call.services;
  const id = Number(call.params.id);
  const token = await tokenById.first(database, { id });
  if (!token) throw new AppError('TOKEN_NOT_FOUND', { id });
  await getTarget(database, actorOf(call), token.user_id);
  await revokeAnyToken(changeOf(call), id, 'admin');
  return { success: true, message: 'The token has been revoked' };
}

/** Returns the profile from a request. Fields that are not given get the same defaults as on the command line. */
function readProfile({ body, services }: Call<NewProfileRequest>) {
  const { name, key, scope = 'read-only', expires_in_days: expiresInDays = DEFAULT_LIFE_DAYS } = body;
  const apps = parseAppNames(body.allowed_apps) ?? [];
  return { name, key, scope, expiresInDays, apps: apps.length > 0 ? apps : [services.settings.APP_NAME] };
}

async function addOneProfile(call: Call<NewProfileRequest>) {
  const profile = await addProfile(changeOf(call), readProfile(call));
  return status(201, { success: true as const, profile: toProfileJson(profile) });
}

async function changeProfile(call: KeyCall<ProfileChangeRequest>) {
  const profile = await setProfileState(changeOf(call), call.params.key, call.body.is_active);
  return { success: true as const, profile: toProfileJson(profile) };
}

/** Returns the application fields that a request contains. A null in the request empties the field. */
const readApplicationFields = (body: Omit<ApplicationChangeRequest, 'version' | 'is_active'>): ApplicationFields => ({
  name: body.name,
  urls: body.urls,
  redirectUris: body.redirect_uris,
  postLogoutRedirectUris: body.post_logout_redirect_uris,
  roles: body.roles,
  backchannelLogoutUri: body.backchannel_logout_uri === null ? '' : body.backchannel_logout_uri,
  icon: body.icon === null ? '' : body.icon,
  isPublic: body.is_public,
  isThirdParty: body.is_third_party,
  deviceFlow: body.device_flow,
  idTokenAlg: body.id_token_alg,
  pkceRequired: body.pkce_required,
});

const toSecretReply = ({ application, secret }: WithSecret) => ({
  success: true as const,
  application: toConsoleApplication(application),
  ...(secret === undefined ? {} : { secret }),
});

async function addOneApplication(call: Call<NewApplicationRequest>) {
  const { key, name } = call.body;
  const fields = { ...readApplicationFields(call.body), key, name };
  return status(201, toSecretReply(await addApplication(changeOf(call), call.services.settings, fields)));
}

const currentOf =
  ({ services, params }: KeyCall) =>
  async () =>
    toConsoleApplication(await getApplication(services.database, params.key));

async function changeOneApplication(call: KeyCall<ApplicationChangeRequest>) {
  const { params, body, services } = call;
  const seen = { key: params.key, version: body.version };
  const fields = { ...readApplicationFields(body), isActive: body.is_active };
  const changing = changeApplication(changeOf(call), services.settings, seen, fields);
  return toSecretReply(await orCurrent(changing, currentOf(call)));
}

async function removeOneApplication(call: KeyCall<unknown, VersionQuery>): Promise<DoneReply> {
  const seen = { key: call.params.key, version: Number(call.query.version) };
  await orCurrent(removeApplication(changeOf(call), seen), currentOf(call));
  return { success: true, message: 'The application has been removed' };
}

async function rotate(call: KeyCall<RotateRequest>) {
  const hours = call.body.keep_old_hours ?? DEFAULT_KEEP_HOURS;
  const { secret, oldSecretExpiresAt: until } = await rotateSecret(changeOf(call), call.params.key, hours);
  const expires_at = isoOrNull(until);
  return status(201, { success: true as const, secret, expires_at });
}

/** JSON routes with which superadmins change API tokens, profiles and applications. */
export const changeRegistryRoutes: AnyRoute[] = [
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/admin/tokens/:id',
    operationId: 'revokeTokenOfUser',
    summary: 'Revoke an API token and the tokens that it approved; superadmins only',
    params: idParams,
    body: json(emptyRequest),
    fieldErrors: { id: { invalid: 'ID_INVALID' } },
    replies: { 200: doneReply },
    errors: ['TOKEN_NOT_FOUND', 'SESSION_REQUIRED'],
    handle: revokeToken,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/admin/profiles',
    operationId: 'addProfile',
    summary: 'Add a profile for device logins; superadmins only',
    body: json(newProfileRequest),
    replies: { 201: profileReply },
    errors: ['FIELD_INVALID', 'EXPIRES_DAYS_INVALID', 'PROFILE_KEY_TAKEN'],
    checkInput: (call) => void requireProfile(readProfile(call)),
    handle: addOneProfile,
  }),
  defineRoute({
    ...changing,
    method: 'PATCH',
    path: '/authsvc/api/admin/profiles/:key',
    operationId: 'changeProfile',
    summary: 'Disable or enable a profile for device logins; superadmins only',
    params: keyParams,
    body: json(profileChangeRequest),
    replies: { 200: profileReply },
    errors: ['PROFILE_NOT_FOUND'],
    handle: changeProfile,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/admin/applications',
    operationId: 'addApplication',
    summary: 'Register an application; its secret is shown only in this reply; superadmins only',
    body: json(newApplicationRequest),
    replies: { 201: secretReply },
    errors: ['FIELD_INVALID', 'APPLICATION_KEY_TAKEN'],
    checkInput: ({ body, services }) => {
      parseKey(body.key);
      parseFields({ ...readApplicationFields(body), name: body.name }, services.settings, body.is_public ?? false);
    },
    handle: addOneApplication,
  }),
  defineRoute({
    ...changing,
    method: 'PATCH',
    path: '/authsvc/api/admin/applications/:key',
    operationId: 'changeApplication',
    summary: 'Change an application if its version is still the given one; superadmins only',
    params: keyParams,
    body: json(applicationChangeRequest),
    replies: { 200: secretReply },
    errors: ['FIELD_INVALID', 'APPLICATION_NOT_FOUND', 'CHANGED_MEANWHILE'],
    // Whether some values are valid depends on whether the stored application is public. The rule checks these values.
    checkInput: ({ body, services }) =>
      void parseFields(readApplicationFields(body), services.settings, body.is_public),
    handle: changeOneApplication,
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/admin/applications/:key',
    operationId: 'removeApplication',
    summary: 'Remove an application if its version is still the given one; superadmins only',
    params: keyParams,
    query: versionQuery,
    body: json(emptyRequest),
    replies: { 200: doneReply },
    errors: ['APPLICATION_NOT_FOUND', 'CHANGED_MEANWHILE'],
    handle: removeOneApplication,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/admin/applications/:key/rotate-secret',
    operationId: 'rotateSecret',
    summary: 'Give an application a new secret, which is shown only in this reply; superadmins only',
    params: keyParams,
    body: json(rotateRequest),
    replies: { 201: rotatedReply },
    errors: ['APPLICATION_NOT_FOUND', 'APPLICATION_PUBLIC'],
    handle: rotate,
  }),
];
