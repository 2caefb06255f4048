import type { Guard } from '../http/guard.ts';
import type { Call } from '../http/route.ts';
import { currentSession, requireSession } from '../sessions/guards.ts';
import { type Device, openAccountLists } from './accounts-cookie.ts';
import { listAccounts } from './list-accounts.ts';
import type { RememberedAccounts } from './schemas.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The result of `rememberedAccounts`, which reads the accounts only once per request. */
    rememberedAccounts?: Promise<RememberedAccounts>;
  }
}

/** Returns all account lists that the browser of a call sends. */
export const accountListsOf = ({ request, services }: Call): Device[] =>
  openAccountLists(services.sealer, services.cookies.read(request, 'accounts'));

/** Returns the account list of the browser that makes a call, or undefined if the browser remembers no accounts. */
export const accountListOf = (call: Call): Device | undefined => accountListsOf(call)[0];

async function readAccounts(call: Call): Promise<RememberedAccounts> {
  const browser = { device: accountListOf(call), current: await currentSession(call) };
  const { accounts, cookies } = await listAccounts(call.services, browser);
  call.services.cookies.apply(call, cookies);
  return accounts;
}

/** Returns the accounts that this browser can use now. Reads them once per request. Removes ended sessions from its cookie. */
export function rememberedAccounts(call: Call): Promise<RememberedAccounts> {
  call.request.rememberedAccounts ??= readAccounts(call);
  return call.request.rememberedAccounts;
}

/** Admits browsers that have a session or remember an account to switch to. */
export const requireSomeAccount: Guard = {
  ...requireSession,
  name: 'an account that is signed in in this browser',
  securitySchemes: ['session', 'rememberedAccounts'],
  check: async (call) => {
    const { sessions } = await rememberedAccounts(call);
    return sessions.length > 0 ? undefined : requireSession.check(call);
  },
};
