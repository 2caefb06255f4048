import { parsePasskeyName } from '../factors/add-passkey.ts';
import { answeringBrowser, askingBrowser, requireConfirmed, requirePasskeys } from '../factors/guards.ts';
import { offerPasskey } from '../factors/offer-passkey.ts';
import { offerPasskeyConfirmation } from '../factors/offer-sign-in.ts';
import { passkeysOfUser } from '../factors/passkey-queries.ts';
import { toPasskeyJson } from '../factors/passkey-schemas.ts';
import { removePasskey } from '../factors/remove-passkey.ts';
import { renamePasskey } from '../factors/rename-passkey.ts';
import { actorOf } from '../http/actor.ts';
import { status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { getSession, requireBrowserSession, requireCsrf } from '../sessions/guards.ts';
import { addOwnPasskey } from './add-own-passkey.ts';
import { changeOf, changing, reading, requirePasskeyName } from './guards.ts';
import {
  confirmOptionsReply,
  type NewPasskeyRequest,
  newPasskeyOptionsReply,
  newPasskeyRequest,
  type PasskeyNameRequest,
  passkeyNameRequest,
  passkeyReply,
  passkeysReply,
} from './passkey-schemas.ts';
import { doneReply, plainRequest, type RefParams, refParams } from './schemas.ts';

const success = { success: true } as const;
const access = [requireBrowserSession, requirePasskeys];
const nameError = { missing: 'MISSING_REQUIRED_FIELD', invalid: 'FIELD_INVALID' } as const;

/** Returns the user of the call's session, with the fields that the functions for passkeys need. */
export async function ownUser(call: Call) {
  const { userId: id, username, fullName } = await getSession(call);
  return { id, username, fullName };
}

async function list(call: Call) {
  const passkeys = await passkeysOfUser.all(call.services.database, { userId: (await getSession(call)).userId });
  return { ...success, passkeys: passkeys.map(toPasskeyJson) };
}

async function offer(call: Call) {
  const asked = { holder: await askingBrowser(call), purpose: 'registration' } as const;
  return { ...success, options: await offerPasskey(call.services, await ownUser(call), asked) };
}

async function add(call: Call<NewPasskeyRequest>) {
  const { name, response } = call.body;
  const passkey = await addOwnPasskey(call.services, {
    session: await getSession(call),
    name: name === undefined ? undefined : parsePasskeyName(name),
    response,
    from: await answeringBrowser(call),
    actor: actorOf(call),
  });
  return status(201, { ...success, passkey });
}

async function rename(call: Call<PasskeyNameRequest, unknown, RefParams>) {
  const { ref } = call.params;
  await renamePasskey(changeOf(call), await ownUser(call), { ref, name: parsePasskeyName(call.body.name) });
  return success;
}

async function remove(call: Call<unknown, unknown, RefParams>) {
  const { settings } = call.services;
  const { ref } = call.params;
  await removePasskey({ ...changeOf(call), settings }, await ownUser(call), { ref, mayBeLast: false });
  return success;
}

async function offerConfirmation(call: Call) {
  const { userId } = await getSession(call);
  const options = await offerPasskeyConfirmation(call.services, userId, await askingBrowser(call));
  return { ...success, options };
}

/** The JSON routes for the user's passkeys. */
export const myPasskeyRoutes: AnyRoute[] = [
  defineRoute({
    ...reading,
    path: '/authsvc/api/account/passkeys',
    operationId: 'listOwnPasskeys',
    summary: 'List your own passkeys, newest first',
    access,
    replies: { 200: passkeysReply },
    handle: list,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/passkeys/options',
    operationId: 'offerPasskey',
    summary: 'Start to add a passkey: return the options that the browser passes to its authenticators',
    access,
    guards: [requireCsrf, requireConfirmed],
    body: json(plainRequest),
    replies: { 200: newPasskeyOptionsReply },
    handle: offer,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/passkeys',
    operationId: 'addPasskey',
    summary: 'Add the passkey that an authenticator created',
    access,
    guards: [requirePasskeyName, requireCsrf, requireConfirmed],
    body: json(newPasskeyRequest),
    fieldErrors: { name: nameError, response: nameError },
    replies: { 201: passkeyReply },
    errors: ['PASSKEY_INVALID', 'PASSKEY_TAKEN', 'LIMIT_REACHED'],
    handle: add,
  }),
  defineRoute({
    ...changing,
    method: 'PATCH',
    path: '/authsvc/api/account/passkeys/:ref',
    operationId: 'renamePasskey',
    summary: 'Rename a passkey',
    access,
    guards: [requirePasskeyName, requireCsrf, requireConfirmed],
    params: refParams,
    body: json(passkeyNameRequest),
    fieldErrors: { name: nameError },
    replies: { 200: doneReply },
    errors: ['REF_UNKNOWN'],
    handle: rename,
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/account/passkeys/:ref',
    operationId: 'removePasskey',
    summary: 'Remove a passkey, and end your other sessions that were opened with it',
    access,
    guards: [requireCsrf, requireConfirmed],
    params: refParams,
    body: json(plainRequest),
    replies: { 200: doneReply },
    errors: ['REF_UNKNOWN', 'LAST_WAY_IN'],
    handle: remove,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/confirm/options',
    operationId: 'offerConfirmation',
    summary: 'Start a confirmation with a passkey: return the options that the browser passes to its authenticators',
    access,
    guards: [requireCsrf],
    limit: { name: 'passkey-options', error: 'TOO_MANY_REQUESTS' },
    body: json(plainRequest),
    replies: { 200: confirmOptionsReply },
    errors: ['CONFIRMATION_FAILED'],
    handle: offerConfirmation,
  }),
];
