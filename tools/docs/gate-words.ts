// Names the gates of a route as a reader of the documentation knows them.
import type { AnyRoute } from '../../src/http/route.ts';

/** What a caller must have, in the order in which it is asked for. Throws for a gate without words. */
export const gateWords = (route: AnyRoute): string[] =>
  [...(route.access ?? []), ...(route.gates ?? [])].map((gate) => {
    if (gate.describe) return gate.describe;
    throw new Error(`${route.method} ${route.path} has a gate without words: make it by describeGate`);
  });
