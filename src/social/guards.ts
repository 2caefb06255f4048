import type { IncomingHttpHeaders } from 'node:http';
import { Value } from 'typebox/value';
import { returnAddress } from '../applications/return-address.ts';
import { AppError } from '../errors/app-error.ts';
import type { Guard } from '../http/guard.ts';
import { redirect } from '../http/reply.ts';
import type { Call } from '../http/route.ts';
import { isUsable, type ProviderSettings } from '../settings/identity-providers.ts';
import { leadBack, signInPath } from './lead-back.ts';
import { startQuery } from './schemas.ts';

const askedRedirect = ({ services, query }: Call): Promise<string> =>
  returnAddress(services, Value.Check(startQuery, query) ? query.redirect : undefined);

/** Returns whether the browser fetches a page in advance, before the person has opened it. */
const isPrefetch = ({ 'sec-purpose': purpose = '', purpose: former = '' }: IncomingHttpHeaders): boolean =>
  [purpose, former].flat().some((value) => /\b(prefetch|prerender)\b/i.test(value));

/**
 * Lets a sign-in start only when a person navigates to its URL. An image or a frame of another page cannot start one. A
 * link on another site goes to the login page, where the person decides whether to sign in.
 *
 * A prefetch by the browser is refused too. The browser does not reuse the error reply for the later navigation.
 *
 * Clients that send no Fetch Metadata headers pass.
 *
 * @see Fetch Metadata Request Headers §2
 */
export const requireOwnStart: Guard = {
  name: 'navigation from this site',
  errors: ['CROSS_SITE_REQUEST'],
  sendsTo: 'the login page',
  check: async (call) => {
    const { headers } = call.request;
    const { 'sec-fetch-dest': destination = 'document', 'sec-fetch-site': site } = headers;
    if (destination !== 'document' || isPrefetch(headers)) throw new AppError('CROSS_SITE_REQUEST');
    return site === 'cross-site' ? redirect(signInPath(await askedRedirect(call), call.services.settings)) : undefined;
  },
};

/** Lets calls pass while the provider is enabled and has its client id and client secret. */
export const requireProvider = (provider: ProviderSettings): Guard => ({
  name: 'provider turned on and set up',
  errors: ['PROVIDER_OFF', 'PROVIDER_MISCONFIGURED'],
  check: (call) => {
    const refuse = async (refusal: AppError): Promise<never> => {
      const lead = { provider: provider.name, redirect: await askedRedirect(call) };
      throw leadBack(refusal, lead, call.services.settings);
    };
    if (!provider.isEnabled) return refuse(new AppError('PROVIDER_OFF'));
    if (isUsable(provider)) return undefined;
    const { CLIENT_ID, CLIENT_SECRET } = provider.keys;
    const cause = new Error(`its client id or secret is missing: set ${CLIENT_ID} and ${CLIENT_SECRET}`);
    return refuse(new AppError('PROVIDER_MISCONFIGURED', { cause }));
  },
});
