import { parsePasskeyName } from '../factors/add-passkey.ts';
import { requirePasskeys } from '../factors/guards.ts';
import { passkeysOfUser } from '../factors/passkey-queries.ts';
import { toPasskeyJson } from '../factors/passkey-schemas.ts';
import { removePasskey } from '../factors/remove-passkey.ts';
import { renamePasskey } from '../factors/rename-passkey.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { getSession, requireBrowserSession } from '../sessions/guards.ts';
import {
  accountForm,
  confirmByForm,
  confirmErrors,
  page,
  requireProofInput,
  sending,
  showAccountPage,
  textOf,
} from './form-guards.ts';
import { type PasskeyForm, passkeyForm } from './form-schemas.ts';
import { changeOf, fieldsOf } from './guards.ts';
import type { AccountView } from './page/account/page.ts';
import { ownUser } from './passkey-routes.ts';

const access = [requireBrowserSession, requirePasskeys];

async function passkeysOf(call: Call, renaming?: { ref: string; name: string }): Promise<AccountView> {
  const { userId } = await getSession(call);
  const passkeys = await passkeysOfUser.all(call.services.database, { userId });
  return { view: 'passkeys', passkeys: passkeys.map(toPasskeyJson), renaming };
}

async function rename(call: Call<PasskeyForm>): Promise<void> {
  await confirmByForm(call);
  const asked = { ref: textOf(call.body.ref), name: parsePasskeyName(textOf(call.body.name)) };
  await renamePasskey(changeOf(call), await ownUser(call), asked);
}

async function remove(call: Call<PasskeyForm>): Promise<void> {
  await confirmByForm(call);
  const { settings } = call.services;
  const asked = { ref: textOf(call.body.ref), mayBeLast: false };
  await removePasskey({ ...changeOf(call), settings }, await ownUser(call), asked);
}

/** Returns the page with the refused name in the field. */
function renamingAgain(call: Call): Promise<AccountView> {
  const { ref, name } = fieldsOf(call.body);
  return passkeysOf(call, { ref: textOf(ref), name: textOf(name) });
}

/** The page of the user's passkeys, and its forms. The script of the page adds passkeys through the JSON routes. */
export const myPasskeyPageRoutes: AnyRoute[] = [
  defineRoute({
    ...page,
    access,
    path: '/authsvc/account/passkeys',
    operationId: 'showOwnPasskeysPage',
    summary: 'Show your own passkeys',
    handle: async (call) => showAccountPage(call, await passkeysOf(call)),
  }),
  defineRoute({
    ...sending,
    access,
    path: '/authsvc/account/passkeys/rename',
    operationId: 'sendPasskeyNameForm',
    summary: 'Submit the form that renames a passkey',
    body: form(passkeyForm),
    errors: [...confirmErrors, 'REF_UNKNOWN'],
    checkInput: (call) => {
      parsePasskeyName(textOf(call.body.name));
      requireProofInput(call);
    },
    ...accountForm({ view: 'passkeys', done: 'passkeyRenamed', work: rename, again: renamingAgain }),
  }),
  defineRoute({
    ...sending,
    access,
    path: '/authsvc/account/passkeys/remove',
    operationId: 'sendPasskeyRemovalForm',
    summary: 'Submit the form that removes a passkey',
    body: form(passkeyForm),
    errors: [...confirmErrors, 'REF_UNKNOWN', 'LAST_WAY_IN'],
    checkInput: requireProofInput,
    ...accountForm({ view: 'passkeys', done: 'passkeyRemoved', work: remove, again: (call) => passkeysOf(call) }),
  }),
];
