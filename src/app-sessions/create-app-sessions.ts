import { LookupCache } from '../db/lookup-cache.ts';
import { readTogether } from '../db/read-together.ts';
import type { Services } from '../http/route.ts';
import { readSessions } from '../sessions/find-session.ts';
import { ChangeStreams } from './change-streams.ts';
import { createRefOf } from './refs.ts';

type Needs = Pick<Services, 'database' | 'dataSealer' | 'registryCache' | 'clock' | 'log'>;

/** Creates the services that this folder provides. */
export function createAppSessions(
  needs: Needs,
): Pick<Services, 'applicationCache' | 'readVisitorSession' | 'refOf' | 'changeStreams'> {
  const { database, clock } = needs;
  const refOf = createRefOf(needs.dataSealer);
  return {
    applicationCache: new LookupCache(database.changes),
    readVisitorSession: readTogether(async (ids) => {
      const sessions = await readSessions(database, ids, clock.now());
      return sessions.map((session) => [session.id, session]);
    }),
    refOf,
    changeStreams: new ChangeStreams({ ...needs, refOf }),
  };
}
