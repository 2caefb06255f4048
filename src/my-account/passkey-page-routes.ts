import { parsePasskeyName } from '../factors/add-passkey.ts';
import { requirePasskeys } from '../factors/guards.ts';
import { passkeysOfUser } from '../factors/passkey-queries.ts';
import { toPasskeyJson } from '../factors/passkey-schemas.ts';
import { removePasskey } from '../factors/remove-passkey.ts';
import { renamePasskey } from '../factors/rename-passkey.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { getSession, requireBrowserSession } from '../sessions/guards.ts';
import { confirmByForm, confirmErrors, page, sendForm, sending, showAccountPage, textOf } from './form-guards.ts';
import { type PasskeyForm, passkeyForm } from './form-schemas.ts';
import { changeOf } from './guards.ts';
import type { AccountView } from './page/account/page.ts';
import { ownUser } from './passkey-routes.ts';

const access = [requireBrowserSession, requirePasskeys];

async function passkeysOf(call: Call, renaming?: { ref: string; name: string }): Promise<AccountView> {
  const { userId } = await getSession(call);
  const passkeys = await passkeysOfUser.all(call.services.database, { userId });
  return { view: 'passkeys', passkeys: passkeys.map(toPasskeyJson), renaming };
}

function sendName(call: Call<PasskeyForm>) {
  const renaming = { ref: textOf(call.body.ref), name: textOf(call.body.name) };
  return sendForm(call, {
    view: 'passkeys',
    done: 'passkeyRenamed',
    work: async () => {
      const name = parsePasskeyName(renaming.name);
      await confirmByForm(call);
      await renamePasskey(changeOf(call), await ownUser(call), { ref: renaming.ref, name });
    },
    again: () => passkeysOf(call, renaming),
  });
}

function sendRemoval(call: Call<PasskeyForm>) {
  return sendForm(call, {
    view: 'passkeys',
    done: 'passkeyRemoved',
    work: async () => {
      await confirmByForm(call);
      const { settings } = call.services;
      const asked = { ref: textOf(call.body.ref), mayBeLast: false };
      await removePasskey({ ...changeOf(call), settings }, await ownUser(call), asked);
    },
    again: () => passkeysOf(call),
  });
}

/** The page of the own passkeys, and its forms. A passkey is added by its script, through the JSON routes. */
export const myPasskeyPageRoutes: AnyRoute[] = [
  defineRoute({
    ...page,
    access,
    path: '/authsvc/account/passkeys',
    operationId: 'showOwnPasskeysPage',
    summary: 'The page of the own passkeys',
    handle: async (call) => showAccountPage(call, await passkeysOf(call)),
  }),
  defineRoute({
    ...sending,
    access,
    path: '/authsvc/account/passkeys/rename',
    operationId: 'sendPasskeyNameForm',
    summary: 'The form of that page that gives a passkey another name',
    body: form(passkeyForm),
    errors: [...confirmErrors, 'REF_UNKNOWN'],
    handle: sendName,
  }),
  defineRoute({
    ...sending,
    access,
    path: '/authsvc/account/passkeys/remove',
    operationId: 'sendPasskeyRemovalForm',
    summary: 'The form of that page that removes a passkey',
    body: form(passkeyForm),
    errors: [...confirmErrors, 'REF_UNKNOWN', 'LAST_WAY_IN'],
    handle: sendRemoval,
  }),
];
