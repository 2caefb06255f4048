import { LookupCache } from '../db/lookup-cache.ts';
import type { Services } from '../http/route.ts';
import { ChangeStreams } from './change-streams.ts';
import { createRefOf } from './refs.ts';

type Needs = Pick<Services, 'database' | 'dataSealer' | 'registryCache' | 'clock' | 'log'>;

/** Creates the parts that this folder adds to the services. */
export function createAppSessions(needs: Needs): Pick<Services, 'applicationCache' | 'refOf' | 'changeStreams'> {
  const refOf = createRefOf(needs.dataSealer);
  return {
    applicationCache: new LookupCache(needs.database.changes),
    refOf,
    changeStreams: new ChangeStreams({ ...needs, refOf }),
  };
}
