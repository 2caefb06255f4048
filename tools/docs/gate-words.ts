// Names the gates of a route as a reader of the documentation knows them.
import type { AnyRoute } from '../../src/http/route.ts';

const words: Record<string, string> = {
  requireSession: 'session',
  requireCaller: 'session or API token',
  requireSomethingToEnd: 'session',
  requireCsrf: 'CSRF token',
  checkCsrfIfSent: 'CSRF token, where one is sent',
  requireMainSecret: 'main secret token',
};

type Gate = NonNullable<AnyRoute['gates']>[number];

/** `requireRole` makes gates without a name; the refusals of the route tell which they are. */
function wordsOf(gate: Gate, route: AnyRoute): string {
  if (gate.name === '' && route.errors?.includes('SUPERADMIN_REQUIRED')) return 'superadmin role';
  if (gate.name === '') throw new Error(`${route.method} ${route.path} has a gate without a name`);
  const spaced = gate.name.replace(/^(require|check)/, '').replace(/([a-z])([A-Z])/g, '$1 $2');
  return words[gate.name] ?? spaced.toLowerCase();
}

/** What a caller must have, in the order in which it is asked for. */
export const gateWords = (route: AnyRoute): string[] => (route.gates ?? []).map((gate) => wordsOf(gate, route));
