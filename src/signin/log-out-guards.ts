import { accountListsOf } from '../accounts/guards.ts';
import { actorOf } from '../http/actor.ts';
import type { Call } from '../http/route.ts';
import { cookieSessionIds } from '../sessions/guards.ts';
import { clearedSignIn, heldSteps } from './guards.ts';
import { type CookieIds, logOut, logOutAll } from './log-out.ts';

const cookieIds = (call: Call): CookieIds => ({
  sessionIds: cookieSessionIds(call),
  secondStepIds: heldSteps(call).map(({ id }) => id),
});

/** Signs out the current account of the browser that makes a call. Returns the number of sessions that ended. */
export async function endCurrent(call: Call): Promise<number> {
  const ended = await logOut({ database: call.services.database, actor: actorOf(call) }, cookieIds(call));
  call.services.cookies.apply(call, clearedSignIn(call));
  return ended;
}

/** Signs out every account of the browser that makes a call. */
export async function endAll(call: Call): Promise<void> {
  const { services } = call;
  const change = { database: services.database, actor: actorOf(call) };
  await logOutAll(change, { devices: accountListsOf(call), ...cookieIds(call) });
  services.cookies.apply(call, [{ clear: 'accounts' }, ...clearedSignIn(call)]);
}
