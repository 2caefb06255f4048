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

/** The text of a field of a form; empty if there is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const pathOf = (view: AccountView['view']): string =>
  view === 'overview' ? '/authsvc/account' : `/authsvc/account/${view}`;

/** The pages of the area, without those that are of no use with these settings. */
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

/** Shows one of the pages, after a refusal with its reason. */
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

/** Keeps a result for the page after a form. @returns the name of the result, for the address of that page */
async function showOnce(call: Call, content: ShownOnce): Promise<string> {
  const { sealer, clock, cookies } = call.services;
  const held = cookies.readFamily(call.request, 'shownOnce');
  const kept = shownOnceCookies({ sealer, now: clock.now() }, await getSession(call), { content, held });
  cookies.apply(call, kept.cookies);
  return kept.once;
}

/**
 * Takes what the form before this page has kept for it: what the address names, or else the newest of this kind.
 *
 * What the forms of other tabs have kept stays for their pages.
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

/** The proof that a form sends along; undefined: none. */
function proofIn(body: unknown): ConfirmationAttempt['proof'] | undefined {
  const fields = fieldsOf(body);
  const [password, token] = [textOf(fields.password), textOf(fields.token)];
  if (password !== '' && token !== '') throw new AppError('FIELD_INVALID', { field: 'token' });
  if (password !== '') return { way: 'password', text: password };
  return token === '' ? undefined : { way: 'totp', text: token };
}

/**
 * Lets a form pass whose user has proven lately who they are, or does so now by the `password` or the `token` that the form
 * sends along, as POST /authsvc/api/account/confirm takes it.
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

/** Errors of `confirmByForm`. */
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

/** The field that a refusal is about, where the refusal does not name one. */
function fieldOfError(code: ErrorName, body: unknown): AccountField | undefined {
  if (code === 'TOO_MANY_CODES' || code === 'TOTP_CODE_INCORRECT') return 'token';
  if (code !== 'CONFIRMATION_FAILED') return undefined;
  return proofIn(body)?.way === 'password' ? 'password' : 'token';
}

/** Refusals of a proof: the form waits until there is a right one. */
const proofRefusals: readonly ErrorName[] = ['CONFIRMATION_REQUIRED', 'CONFIRMATION_FAILED', 'TOO_MANY_CODES'];
/** Refusals after which a form can be sent once more as it was. */
const laterRefusals: readonly ErrorName[] = ['TOO_MANY_REQUESTS', 'TOO_MANY_LOGINS', 'CSRF_INVALID'];
const proofFields: readonly string[] = ['_csrf', 'password', 'token'];

/** Whether a form that waited for a proof sends one. */
function sendsProof({ route, body }: Call): boolean {
  const { password, token } = fieldsOf(body);
  return Boolean(route.errors?.includes('CONFIRMATION_FAILED') && (textOf(password) || textOf(token)));
}

function pendingForm({ request, body }: Call): AccountPage['pending'] {
  const sent = Object.entries(fieldsOf(body)).filter(([name]) => !proofFields.includes(name));
  const texts = sent.flatMap(([name, value]) => [value].flat().map((one) => ({ name, value: textOf(one) })));
  return { path: request.url.split('?', 1)[0] ?? '', fields: texts };
}

/** Statuses with which a form comes back; anything else is a page of its own. */
const formStatuses: readonly number[] = [400, 403, 404, 409, 429];

/** What a form does. `make` also returns what the page after it shows once. */
type Work<Body> =
  | { work(call: Call<Body>): Promise<unknown>; make?: undefined }
  | { make(call: Call<Body>): Promise<ShownOnce>; work?: undefined };

interface AccountForm<Body> {
  /** The page that the form belongs to. */
  view: AccountView['view'];
  /** What the form does, as the page after it says. */
  done?: Done | ((call: Call<Body>) => Done);
  /** Whether the form asks for the proof itself. */
  asksForProof?: boolean;
  /** The page, after a refusal of the form. */
  again(call: Call): Promise<AccountView>;
}

/** What a form does, as a part of its route. A refusal is the page again, beside the field that is to blame. */
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

/** Refuses a form with more than one proof, before the token of the page is looked at. */
export const requireProofInput = ({ body }: Call): void => void proofIn(body);

/** The common properties of the pages. */
export const page = { ...reading, kind: 'page', query: accountPageQuery, replies: { 200: htmlReply } } as const;

/** The common properties of their forms. */
export const sending = {
  ...changing,
  method: 'POST',
  kind: 'page',
  guards: [requireCsrf],
  replies: {
    303: redirectReply('The page again'),
    400: htmlReply,
    403: htmlReply,
    404: htmlReply,
    409: htmlReply,
    429: htmlReply,
  },
} as const;
