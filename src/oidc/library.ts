import type { Services } from '../http/route.ts';
import { getKeys, type SigningKey } from './keys.ts';
import type { Answerer } from './provider.ts';

/** Provides the library, configured with the current keys. */
export interface Library {
  answerer(services: Services): Promise<Answerer>;
}

declare module '../http/route.ts' {
  interface Services {
    openIdConnect: Library;
  }
}

const nameOf = (keys: readonly SigningKey[]): string => keys.map(({ id, retiresAt }) => `${id} ${retiresAt}`).join();

/** Loads the library when it is first needed. Configures it again when the keys change. */
export function createLibrary(): Library {
  let kept: { name: string; answerer: Answerer } | undefined;
  return {
    answerer: async (services) => {
      const keys = await getKeys(services);
      const name = nameOf(keys);
      if (kept?.name === name) return kept.answerer;
      const { createAnswerer } = await import('./provider.ts');
      const answerer = createAnswerer(services, keys);
      kept = { name, answerer };
      return answerer;
    },
  };
}
