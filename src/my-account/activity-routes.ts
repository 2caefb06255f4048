import type { Guard } from '../http/guard.ts';
import { languageOf } from '../http/page.ts';
import { redirect, redirectReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { getSession } from '../sessions/guards.ts';
import { activityWords, reading } from './guards.ts';
import { listActivity, parseActivityPage } from './list-activity.ts';
import { listOwnTokens } from './list-own-tokens.ts';
import { type ActivityQuery, activityQuery, activityReply, toActivityReply, tokensReply } from './schemas.ts';

/** Refuses invalid query parameters of the activity list. */
const requirePage: Guard = {
  name: 'well-formed page parameters',
  errors: ['FIELD_INVALID'],
  check: ({ query }) => {
    parseActivityPage({ ...Object(query) });
    return undefined;
  },
};

async function showActivity(call: Call<unknown, ActivityQuery>) {
  const { services, query } = call;
  const { userId } = await getSession(call);
  const page = await listActivity(services.database, { userId, now: services.clock.now() }, parseActivityPage(query));
  return toActivityReply(languageOf(call), page, await activityWords(call));
}

/** The JSON routes that list the user's API tokens and the activity of the account. */
export const myActivityRoutes: AnyRoute[] = [
  defineRoute({
    ...reading,
    path: '/authsvc/api/account/tokens',
    operationId: 'listOwnTokens',
    summary: 'List your own API tokens, newest first',
    replies: { 200: tokensReply },
    handle: async (call) => ({
      success: true,
      tokens: await listOwnTokens(call.services, (await getSession(call)).userId),
    }),
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/account/activity',
    operationId: 'listOwnActivity',
    summary: 'List what happened to your own account in the last 90 days, newest first',
    query: activityQuery,
    guards: [requirePage],
    replies: { 200: activityReply },
    handle: showActivity,
  }),
  defineRoute({
    method: 'GET',
    path: '/.well-known/change-password',
    operationId: 'goToChangePassword',
    summary: 'Redirect password managers to the page for changing the password',
    kind: 'page',
    replies: { 302: redirectReply('The page for changing your own password') },
    handle: async () => redirect('/authsvc/account/password'),
  }),
];
