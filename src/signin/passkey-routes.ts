import { returnAddress } from '../applications/return-address.ts';
import { answeringBrowser, askingBrowser, requirePasskeys } from '../factors/guards.ts';
import { offerPasskeySignIn } from '../factors/offer-sign-in.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { browserOf, checkCsrfIfSent } from './guards.ts';
import {
  type PasskeyOptionsReply,
  type PasskeyReply,
  type PasskeyRequest,
  passkeyOptionsReply,
  passkeyOptionsRequest,
  passkeyReply,
  passkeyRequest,
} from './schemas.ts';
import { completePasskeySignIn, verifyPasskey } from './sign-in-by-passkey.ts';

async function offer(call: Call): Promise<PasskeyOptionsReply> {
  return { success: true, options: await offerPasskeySignIn(call.services, await askingBrowser(call)) };
}

async function signIn(call: Call<PasskeyRequest>): Promise<PasskeyReply> {
  const { services, body, request } = call;
  request.signInMethod = 'passkey';
  const answer = { response: body.response, from: await answeringBrowser(call) };
  const proven = await verifyPasskey(services, answer);
  const target = await returnAddress(services, body.redirect);
  services.cookies.apply(call, await completePasskeySignIn(services, proven, await browserOf(call)));
  return { success: true, message: 'Login successful', redirect_url: target };
}

/** The routes of sign-in with a passkey. */
export const passkeySignInRoutes: AnyRoute[] = [
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/passkey/options',
    operationId: 'offerPasskeySignIn',
    summary: 'Start a sign-in with a passkey: return the options that the browser passes to its authenticators',
    kind: 'json',
    access: [requirePasskeys],
    guards: [checkCsrfIfSent],
    limit: { name: 'passkey-options', error: 'TOO_MANY_REQUESTS' },
    body: json(passkeyOptionsRequest),
    replies: { 200: passkeyOptionsReply },
    handle: offer,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/passkey',
    operationId: 'signInByPasskey',
    summary: 'Sign in with a passkey: send the response of the authenticator',
    kind: 'json',
    access: [requirePasskeys],
    guards: [checkCsrfIfSent],
    limit: { name: 'login', error: 'TOO_MANY_LOGINS' },
    body: json(passkeyRequest),
    fieldErrors: { response: { missing: 'MISSING_REQUIRED_FIELD', invalid: 'FIELD_INVALID' } },
    replies: { 200: passkeyReply },
    errors: ['PASSKEY_REFUSED', 'ACCOUNT_INACTIVE', 'APP_NOT_ALLOWED'],
    failure: 'LOGIN_FAILED',
    handle: signIn,
  }),
];
