import { findRegistry, nameApplications } from '../applications/registry.ts';
import { AppError } from '../errors/app-error.ts';
import { type Change, changeBy } from '../events/change.ts';
import { parsePasskeyName } from '../factors/add-passkey.ts';
import { actorOf } from '../http/actor.ts';
import type { Guard } from '../http/guard.ts';
import type { Call } from '../http/route.ts';
import type { BrowserReader } from '../lib/browser-names.ts';
import { requireBrowserSession } from '../sessions/guards.ts';
import { parseFullName, parseImageAddress } from '../users/fields.ts';

declare module '../http/route.ts' {
  interface Services {
    browserNames: BrowserReader;
  }
}

/** Returns the database, the time and the actor for a change that this request makes. */
export const changeOf = (call: Call): Change => changeBy(call.services, actorOf(call));

/** Returns the fields of a body, or an empty object if the body is not an object. */
export const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null ? { ...body } : {};

/**
 * Returns the functions that activity texts need: labels of providers, names of applications, and names of
 * browsers.
 */
export async function activityWords({ services }: Call) {
  const registry = await findRegistry(services);
  return {
    labelOf: (provider: string): string =>
      services.settings.identityProviders.find(({ name }) => name === provider)?.label ?? provider,
    namesOf: services.browserNames,
    appOf: (key: string): string => nameApplications(registry, [key]).join(),
  };
}

/** Refuses a body with no proof or with several proofs, before the CSRF token is checked. */
export const requireOneProof: Guard = {
  name: 'exactly one proof of identity: password, code or passkey',
  errors: ['MISSING_REQUIRED_FIELD', 'FIELD_INVALID'],
  check: ({ body }) => {
    const { password, token, response } = fieldsOf(body);
    const given = [password, token, response].filter((proof) => proof !== undefined);
    if (given.length === 1) return undefined;
    throw new AppError(given.length === 0 ? 'MISSING_REQUIRED_FIELD' : 'FIELD_INVALID', { field: 'password' });
  },
};

/** Refuses calls about second factors while second factors are turned off. */
export const requireTwoFactor: Guard = {
  name: 'AUTHSVC_TWO_FA_ENABLE=true',
  errors: ['TWO_FACTOR_OFF'],
  check: ({ services }) => {
    if (services.settings.AUTHSVC_TWO_FA_ENABLE) return undefined;
    throw new AppError('TWO_FACTOR_OFF');
  },
};

/** Refuses an invalid name of a passkey. */
export const requirePasskeyName: Guard = {
  name: 'valid name of a passkey',
  errors: ['FIELD_INVALID'],
  check: ({ body }) => {
    const { name } = fieldsOf(body);
    if (typeof name === 'string') parsePasskeyName(name);
    return undefined;
  },
};

/** Refuses an invalid name or picture. */
export const requireProfile: Guard = {
  name: 'well-formed name and picture',
  errors: ['FIELD_INVALID'],
  check: ({ body }) => {
    const { full_name: fullName, image } = fieldsOf(body);
    if (typeof fullName === 'string') parseFullName(fullName);
    if (typeof image === 'string') parseImageAddress(image);
    return undefined;
  },
};

/** The properties that all routes for reading the user's own account have in common. */
export const reading = {
  method: 'GET',
  kind: 'json',
  access: [requireBrowserSession],
  limit: { name: 'account-read', error: 'TOO_MANY_REQUESTS' },
  countsAfterAccess: true,
} as const;

/** The properties that all routes for changing the user's own account have in common. */
export const changing = {
  kind: 'json',
  access: [requireBrowserSession],
  limit: { name: 'account-change', error: 'TOO_MANY_REQUESTS' },
  countsAfterAccess: true,
} as const;
