import { AppError } from '../errors/app-error.ts';
import { type ErrorName, errorRegistry } from '../errors/registry.ts';
import { getConfirmation } from '../factors/confirmation.ts';
import { isConfirmed, requireConfirmed } from '../factors/guards.ts';
import { askerOf } from '../http/asker.ts';
import { limitKeys } from '../http/client-address.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply, redirect, redirectReply } from '../http/reply.ts';
import type { Call } from '../http/route.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { passkeyRpId } from '../settings/passkey-party.ts';
import { knownBrowserOf } from '../signin/guards.ts';
import { refusalOf } from '../ui/refusal.ts';
import { type ConfirmationAttempt, confirm } from './confirm.ts';
import { accountPageQuery } from './form-schemas.ts';
import { changing, fieldsOf, reading } from './guards.ts';
import { type AccountField, type AccountPage, type AccountView, accountPage, isDone } from './page/account/page.ts';
import { accountViews } from './page/account/views.ts';
import { clearedShownOnce, openShownOnce, type ShownOnce, shownOnceCookies } from './shown-once.ts';

type Done = NonNullable<AccountPage['done']>;

/** Returns a form field as text. Returns an empty text if the field is missing or is not a text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const pathOf = (view: AccountView['view']): string =>
  view === 'overview' ? '/authsvc/account' : `/authsvc/account/${view}`;

/**
 * Returns the account pages that are useful with these settings, for the navigation. Always includes the current
 * page.
 */
function usefulPages({ services }: Call, shown: AccountView['view']): AccountPage['pages'] {
  const { settings } = services;
  const isUseful: Record<AccountView['view'], boolean> = {
    overview: true,
    password: true,
    'two-step': settings.AUTHSVC_TWO_FA_ENABLE,
    passkeys: passkeyRpId(settings) !== undefined,
    sessions: true,
    grants: true,
    connections: settings.identityProviders.some(({ isEnabled }) => isEnabled),
    tokens: true,
    activity: true,
  };
  return accountViews.filter((view) => isUseful[view] || view === shown);
}

async function confirmationOf(call: Call): Promise<AccountPage['confirmation']> {
  const { services } = call;
  const { ways, until } = await getConfirmation(services, await getSession(call));
  return { ways, seconds: until === null ? 0 : Math.floor((until - services.clock.now()) / 1000) };
}

/** Renders an account page. If a form was refused, the page shows the reason. */
export async function showAccountPage(
  call: Call,
  view: AccountView,
  { refusal, pending }: Partial<Pick<AccountPage, 'refusal' | 'pending'>> = {},
) {
  const { services, request, reply, query } = call;
  const done: unknown = Reflect.get(Object(query), 'done');
  return renderPage(call, accountPage, {
    ...view,
    csrfToken: services.csrf.tokenFor(request, reply),
    pages: usefulPages(call, view.view),
    confirmation: await confirmationOf(call),
    done: refusal === undefined && isDone(done) ? done : undefined,
    refusal,
    pending,
  });
}

/** Stores a result for the page that follows a form. Returns the name of the result, for the URL of that page. */
async function showOnce(call: Call, content: ShownOnce): Promise<string> {
  const { sealer, clock, cookies } = call.services;
  const held = cookies.readFamily(call.request, 'shownOnce');
  const kept = shownOnceCookies({ sealer, now: clock.now() }, await getSession(call), { content, held });
  cookies.apply(call, kept.cookies);
  return kept.once;
}

/**
 * Returns the result that a form has stored for this page, and removes it. The URL of the page names the result. If the
 * URL names none, the newest result of this kind is returned.
 *
 * Results of forms in other tabs stay for the pages there.
 */
export async function takeShownOnce(call: Call, kind: ShownOnce['kind']): Promise<ShownOnce | undefined> {
  const { sealer, clock, cookies } = call.services;
  const once: unknown = Reflect.get(Object(call.query), 'once');
  const members = cookies
    .readFamily(call.request, 'shownOnce')
    .filter(({ part }) => once === undefined || part === once);
  if (members.length === 0) return undefined;
  const session = await getSession(call);
  for (const { part, value } of members.toReversed()) {
    const content = openShownOnce({ sealer, now: clock.now() }, session, value);
    if (content?.kind !== kind) continue;
    cookies.apply(call, [clearedShownOnce(part)]);
    return content;
  }
  return undefined;
}

/** Returns the proof of identity that a form contains, or undefined if it contains none. */
function proofIn(body: unknown): ConfirmationAttempt['proof'] | undefined {
  const fields = fieldsOf(body);
  const [password, token] = [textOf(fields.password), textOf(fields.token)];
  if (password !== '' && token !== '') throw new AppError('FIELD_INVALID', { field: 'token' });
  if (password !== '') return { way: 'password', text: password };
  return token === '' ? undefined : { way: 'totp', text: token };
}

/**
 * Requires a confirmed session. If the session is not confirmed, the form may contain a `password` or a `token`
 * that confirms it now. They are checked as for POST /authsvc/api/account/confirm.
 */
export async function confirmByForm(call: Call): Promise<void> {
  const { services, request } = call;
  const session = await getSession(call);
  if (await isConfirmed(services, session)) return;
  const proof = proofIn(call.body);
  if (!proof) {
    await requireConfirmed.check(call);
    return;
  }
  await services.limiter.consume({ name: 'account-secret', error: 'TOO_MANY_REQUESTS' }, limitKeys(request));
  request.confirmationMethod = proof.way;
  const client = { asker: askerOf(call), browser: knownBrowserOf(call) };
  await confirm(services, { session, proof, client });
}

/** The errors of `confirmByForm`. */
export const confirmErrors = [
  'CONFIRMATION_REQUIRED',
  'CONFIRMATION_FAILED',
  'FIELD_INVALID',
  'TOO_MANY_LOGINS',
  'TOO_MANY_CODES',
  'SECOND_STEP_MISCONFIGURED',
] as const satisfies readonly ErrorName[];

const fields: readonly string[] = [
  'full_name',
  'image',
  'current_password',
  'new_password',
  'password',
  'token',
  'name',
  'scope',
  'expiresDays',
  'allowed_apps',
  'email',
] satisfies readonly AccountField[];
const isField = (name: string | undefined): name is AccountField => name !== undefined && fields.includes(name);

/** Returns the form field that an error is about, for errors that do not name a field. */
function fieldOfError(code: ErrorName, body: unknown): AccountField | undefined {
  if (code === 'TOO_MANY_CODES' || code === 'TOTP_CODE_INCORRECT') return 'token';
  if (code !== 'CONFIRMATION_FAILED') return undefined;
  return proofIn(body)?.way === 'password' ? 'password' : 'token';
}

/** Errors that mean that a proof is missing or wrong. The page keeps the form and asks for a proof. */
const proofRefusals: readonly ErrorName[] = ['CONFIRMATION_REQUIRED', 'CONFIRMATION_FAILED', 'TOO_MANY_CODES'];
/** Errors after which the same form can be sent again. */
const laterRefusals: readonly ErrorName[] = ['TOO_MANY_REQUESTS', 'TOO_MANY_LOGINS', 'CSRF_INVALID'];
const proofFields: readonly string[] = ['_csrf', 'password', 'token'];

/** Returns whether a form that needed a confirmation was sent with a proof. */
function sendsProof({ route, body }: Call): boolean {
  const { password, token } = fieldsOf(body);
  return Boolean(route.errors?.includes('CONFIRMATION_FAILED') && (textOf(password) || textOf(token)));
}

function pendingForm({ request, body }: Call): AccountPage['pending'] {
  const sent = Object.entries(fieldsOf(body)).filter(([name]) => !proofFields.includes(name));
  const texts = sent.flatMap(([name, value]) => [value].flat().map((one) => ({ name, value: textOf(one) })));
  return { path: request.url.split('?', 1)[0] ?? '', fields: texts };
}

/** The statuses for which the form is shown again. Other errors are shown on the error page. */
const formStatuses: readonly number[] = [400, 403, 404, 409, 429];

/** What a form does when it is submitted. `make` also returns a result that the next page shows once. */
type Work<Body> =
  | { work(call: Call<Body>): Promise<unknown>; make?: undefined }
  | { make(call: Call<Body>): Promise<ShownOnce>; work?: undefined };

interface AccountForm<Body> {
  /** The page that the form belongs to. */
  view: AccountView['view'];
  /** The change that the next page reports as done. */
  done?: Done | ((call: Call<Body>) => Done);
  /** Whether the form itself has a field for the proof. */
  asksForProof?: boolean;
  /** Returns the page to show after the form was refused. */
  again(call: Call): Promise<AccountView>;
}

/**
 * Creates the part of a route that handles a form. After an error, it shows the page again with the message at the
 * field that caused it.
 */
export function accountForm<Body>(options: AccountForm<Body> & Work<Body>) {
  const { view, done, asksForProof = false, work, make, again } = options;
  return {
    handle: async (call: Call<Body>) => {
      await work?.(call);
      const once = make && (await showOnce(call, await make(call)));
      const what = typeof done === 'function' ? done(call) : done;
      const query = [what === undefined ? [] : `done=${what}`, once === undefined ? [] : `once=${once}`].flat();
      return redirect(query.length === 0 ? pathOf(view) : `${pathOf(view)}?${query.join('&')}`);
    },
    showRefusal: async (call: Call, error: AppError) => {
      const { code, parameters } = error;
      if (!formStatuses.includes(errorRegistry[code].status)) return undefined;
      const { field = fieldOfError(code, call.body) } = parameters;
      const refusal = { ...refusalOf(error), field: isField(field) ? field : undefined };
      const isPending = proofRefusals.includes(code) || (sendsProof(call) && laterRefusals.includes(code));
      const pending = !asksForProof && isPending ? pendingForm(call) : undefined;
      return showAccountPage(call, await again(call), { refusal, pending });
    },
  };
}

/** Refuses a form with more than one proof before the CSRF token is checked. */
export const requireProofInput = ({ body }: Call): void => void proofIn(body);

/** The properties that all account pages have in common. */
export const page = { ...reading, kind: 'page', query: accountPageQuery, replies: { 200: htmlReply } } as const;

/** The properties that the forms of all account pages have in common. */
export const sending = {
  ...changing,
  method: 'POST',
  kind: 'page',
  guards: [requireCsrf],
  replies: {
    303: redirectReply('The same page'),
    400: htmlReply,
    403: htmlReply,
    404: htmlReply,
    409: htmlReply,
    429: htmlReply,
  },
} as const;
