import { findRegistry } from '../applications/registry.ts';
import { AppError } from '../errors/app-error.ts';
import { actorOf } from '../http/actor.ts';
import { clientAddress, limitKeys } from '../http/client-address.ts';
import { parseForm } from '../http/form.ts';
import type { Guard } from '../http/guard.ts';
import type { Call, Services } from '../http/route.ts';
import { currentSession } from '../sessions/guards.ts';
import { parseList } from '../users/user.ts';
import { OFFLINE, OFFLINE_PARAMETER, parseScopes, toGrantUser } from './grant.ts';
import { visitorOfSession } from './queries.ts';
import { describeRepeated } from './repeated.ts';
import type { Visit, Visitor } from './visit.ts';

/** Answers 404 until an application uses OpenID Connect, so that the library is not loaded before that. */
export const requireOpenIdConnect: Guard = {
  name: 'at least one application with a redirect URI or the device flow',
  errors: ['NOT_FOUND'],
  check: async ({ services }) => {
    const { active } = await findRegistry(services);
    const isUsed = [...active.values()].some(({ redirectUris, deviceFlow }) => redirectUris.length > 0 || deviceFlow);
    if (!isUsed) throw new AppError('NOT_FOUND');
    return undefined;
  },
};

/** Returns the signed-in user, as authorization requests need it. Returns undefined if no one is signed in. */
export async function visitorOf(call: Call): Promise<Visitor | undefined> {
  const session = await currentSession(call);
  const { database, settings } = call.services;
  const row = session && (await visitorOfSession.first(database, { sessionId: session.id }));
  if (!row) return undefined;
  return {
    sessionId: session.id,
    method: row.method,
    user: toGrantUser(row.id, row),
    authenticatedAt: row.authenticated_at,
    amr: parseList(row.amr),
    hasSecondFactor: settings.AUTHSVC_TWO_FA_ENABLE && Boolean(row.has_factor),
  };
}

/** Returns the data of a call that the library needs to answer it. */
export function visitOf(call: Call): Visit {
  const { request, services } = call;
  const countWrongSecret = async (key: string) => {
    const keys = limitKeys(request).map((one) => ({ ...one, key: `${one.key} ${key}` }));
    await services.limiter.consume({ name: 'oidc-secret', error: 'TOO_MANY_REQUESTS' }, keys);
  };
  return { actor: actorOf(call), address: clientAddress(request), countWrongSecret };
}

/** Parses the fields of a form body. Returns undefined if the body is not a form. */
const formOf = (body: unknown) => (Buffer.isBuffer(body) ? parseForm(body.toString()) : undefined);

/**
 * Returns the untrusted `client_id` of a request, from Basic authentication or the body. Returns an empty text if
 * there is none.
 */
export function namedClient({ request, body }: Call): string {
  const [, basic = ''] = /^basic +([\w+/=-]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const [name = ''] = Buffer.from(basic, 'base64').toString().split(':', 1);
  const named = formOf(body)?.client_id;
  return name || (typeof named === 'string' ? named : '');
}

/** Describes an error in the parameters of a request body. */
export const faultOf = ({ body }: Call): string | undefined => describeRepeated(formOf(body) ?? {});

/** The application for which a request is counted. All requests that name no known application share one budget. */
export const countedApplication = {
  what: 'application',
  find: async (call: Call): Promise<string> => {
    const key = namedClient(call);
    return (await findRegistry(call.services)).active.has(key) ? key : '-';
  },
};

/**
 * Returns whether pages of an origin may call the endpoints. Only the origins of public applications may, because
 * those applications run in browsers.
 */
export async function isPublicOrigin(services: Services, origin: string): Promise<boolean> {
  const { active } = await findRegistry(services);
  return [...active.values()].some(
    ({ isPublic, urls, redirectUris }) =>
      origin !== 'null' &&
      isPublic &&
      [...urls, ...redirectUris].some((uri) => URL.canParse(uri) && new URL(uri).origin === origin),
  );
}

/**
 * Returns whether an application of the operator requests access that outlives the session. Such an application
 * does not need the user's consent.
 */
async function isOffered({ services }: Call, fields: URLSearchParams): Promise<boolean> {
  const application = (await findRegistry(services)).active.get(fields.get('client_id') ?? '');
  return application?.isThirdParty !== true && parseScopes(fields.get('scope') ?? '').includes(OFFLINE);
}

/**
 * Marks a request in which an application of the operator asks for access that outlives the session. Without the mark,
 * the library drops the scope for such access unless the user consents.
 */
export async function markOffer(call: Call, text: string): Promise<string> {
  const fields = new URLSearchParams(text);
  const isMarked = fields.has(OFFLINE_PARAMETER);
  const isOffer = await isOffered(call, fields);
  if (!isMarked && !isOffer) return text;
  fields.delete(OFFLINE_PARAMETER);
  if (isOffer) fields.set(OFFLINE_PARAMETER, '1');
  return fields.toString();
}

/** Returns the signed-in user as pages show it. */
export const personOf = ({ user }: Visitor) => ({
  username: user.username,
  fullName: user.fullName,
  hasImage: user.image !== '',
});
