import type { Application } from '../applications/application.ts';
import { findRegistry } from '../applications/registry.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { openJwt } from './jwt.ts';
import { getKeys, type KeyNeeds } from './keys.ts';
import { type Asked, askedOf, nextStep, type Step } from './next-step.ts';
import { withParameters } from './redirect-uri.ts';
import { findWaiting } from './requests.ts';
import type { Visitor, WaitingRequest } from './visit.ts';

type Needs = KeyNeeds & Pick<Services, 'registryCache' | 'baseUrl'>;

/** A pending authorization request, and the next step that the user must take. */
export interface Pending {
  waiting: WaitingRequest;
  application: Application;
  asked: Asked;
  step: Step;
}

export const textOf = (params: WaitingRequest['params'], name: string): string => {
  const value = params[name];
  return typeof value === 'string' ? value : '';
};

/**
 * Finds an authorization request that waits for the user, and the user's next step.
 *
 * @throws AppError OIDC_REQUEST_EXPIRED; OIDC_CLIENT_UNKNOWN if the application is no longer active
 */
export async function findPending(
  services: Needs,
  id: string,
  { visitor, hasChosen }: { visitor: Visitor | undefined; hasChosen: boolean },
): Promise<Pending> {
  const found = await findWaiting(services, id);
  if (!found) throw new AppError('OIDC_REQUEST_EXPIRED');
  const waiting = { ...found, hasChosen };
  const application = (await findRegistry(services)).active.get(textOf(waiting.params, 'client_id'));
  if (!application) throw new AppError('OIDC_CLIENT_UNKNOWN');
  const keys = (await getKeys(services)).map(({ id: kid, alg, publicJwk }) => ({ id: kid, alg, jwk: publicJwk }));
  const asked = askedOf(waiting.params, (token) => String(openJwt(keys, token)?.sub));
  const question = { asked, application, visitor, progress: waiting, now: services.clock.now() };
  const step = waiting.hasRefused ? 'done' : await nextStep(services.database, question);
  return { waiting, application, asked, step };
}

/** Returns the redirect URI with the error `access_denied`. */
export function refusedAddress({ params }: WaitingRequest, issuer: string): string {
  const state = textOf(params, 'state');
  const answer = { error: 'access_denied', ...(state === '' ? {} : { state }), iss: issuer };
  return withParameters(textOf(params, 'redirect_uri'), answer);
}
