// Names the guards of a route as a reader of the documentation knows them.
import type { AnyRoute } from '../../src/http/route.ts';

/** What a caller must have, in the order in which it is asked for. Throws for a guard without words. */
export const guardWords = (route: AnyRoute): string[] =>
  [...(route.access ?? []), ...(route.guards ?? [])].map((guard) => {
    if (guard.describe) return guard.describe;
    throw new Error(`${route.method} ${route.path} has a guard without words: make it by describeGuard`);
  });
