// Names the gates of a route as a reader of the documentation knows them.
import type { AnyRoute } from '../../src/http/route.ts';

const words: Record<string, string> = {
  requireSession: 'session',
  requireSomethingToEnd: 'session',
  requireCsrf: 'CSRF token',
  requireCredentials: 'credentials of the right form',
  checkCsrfIfSent: 'CSRF token, where one is sent',
  requireMainSecret: 'main secret token',
  requireCodeShape: 'code of the right form',
  requireFirstStep: 'first step done',
  requireSomeAccount: 'some account in this browser',
};

/** Gates that are made for one role or provider have no name; a refusal of the route tells which they are. */
const wordsByRefusal: Record<string, string> = {
  SUPERADMIN_REQUIRED: 'superadmin role',
  PROVIDER_OFF: 'provider turned on',
};

type Gate = NonNullable<AnyRoute['gates']>[number];

function wordsOf(gate: Gate, route: AnyRoute): string {
  const spaced = gate.name.replace(/^(require|check)/, '').replace(/([a-z])([A-Z])/g, '$1 $2');
  if (gate.name !== '') return words[gate.name] ?? spaced.toLowerCase();
  const [told] = (route.errors ?? []).map((name) => wordsByRefusal[name]).filter((text) => text !== undefined);
  if (told === undefined) throw new Error(`${route.method} ${route.path} has a gate without a name`);
  return told;
}

/** What a caller must have, in the order in which it is asked for. */
export const gateWords = (route: AnyRoute): string[] => (route.gates ?? []).map((gate) => wordsOf(gate, route));
