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

/** Answers nothing before an application needs it, so that nothing is loaded for it either. */
export const requireOpenIdConnect: Guard = {
  name: 'an application with a redirect URI or the device flow',
  errors: ['NOT_FOUND'],
  check: async ({ services }) => {
    const { active } = await findRegistry(services);
    const isUsed = [...active.values()].some(({ redirectUris, deviceFlow }) => redirectUris.length > 0 || deviceFlow);
    if (!isUsed) throw new AppError('NOT_FOUND');
    return undefined;
  },
};

/** The person who is signed in, as an authorization request needs it. */
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

/** What the library is told of a call. */
export function visitOf(call: Call): Visit {
  const { request, services } = call;
  const countWrongSecret = async (key: string) => {
    const keys = limitKeys(request).map((one) => ({ ...one, key: `${one.key} ${key}` }));
    await services.limiter.consume({ name: 'oidc-secret', error: 'TOO_MANY_REQUESTS' }, keys);
  };
  return { actor: actorOf(call), address: clientAddress(request), countWrongSecret };
}

/** The fields of a body that is a form. */
const formOf = (body: unknown) => (Buffer.isBuffer(body) ? parseForm(body.toString()) : undefined);

/** The `client_id` that a request names, by Basic or in its body; untrusted. Empty: it names none. */
export function namedClient({ request, body }: Call): string {
  const [, basic = ''] = /^basic +([\w+/=-]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const [name = ''] = Buffer.from(basic, 'base64').toString().split(':', 1);
  const named = formOf(body)?.client_id;
  return name || (typeof named === 'string' ? named : '');
}

/** What is wrong with the parameters in the body of a request. */
export const faultOf = ({ body }: Call): string | undefined => describeRepeated(formOf(body) ?? {});

/** Which application a request is from; all that name none share one budget. */
export const countedApplication = {
  what: 'application',
  find: async (call: Call): Promise<string> => {
    const key = namedClient(call);
    return (await findRegistry(call.services)).active.has(key) ? key : '-';
  },
};

/** Whether pages of an origin may call the endpoints: those of public applications, which run in browsers. */
export async function isPublicOrigin(services: Services, origin: string): Promise<boolean> {
  const { active } = await findRegistry(services);
  return [...active.values()].some(
    ({ isPublic, urls, redirectUris }) =>
      origin !== 'null' &&
      isPublic &&
      [...urls, ...redirectUris].some((uri) => URL.canParse(uri) && new URL(uri).origin === origin),
  );
}

/** Whether an application of our own asks for access that outlives a session, for which it need not ask the person. */
async function isOffered({ services }: Call, fields: URLSearchParams): Promise<boolean> {
  const application = (await findRegistry(services)).active.get(fields.get('client_id') ?? '');
  return application?.isThirdParty !== true && parseScopes(fields.get('scope') ?? '').includes(OFFLINE);
}

/** Marks a request that asks for access that outlives a session: the library drops that scope where nothing else is said. */
export async function markOffer(call: Call, text: string): Promise<string> {
  const fields = new URLSearchParams(text);
  const isMarked = fields.has(OFFLINE_PARAMETER);
  const isOffer = await isOffered(call, fields);
  if (!isMarked && !isOffer) return text;
  fields.delete(OFFLINE_PARAMETER);
  if (isOffer) fields.set(OFFLINE_PARAMETER, '1');
  return fields.toString();
}

/** The person as pages show them. */
export const personOf = ({ user }: Visitor) => ({
  username: user.username,
  fullName: user.fullName,
  hasImage: user.image !== '',
});
