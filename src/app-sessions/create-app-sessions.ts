import { LookupCache } from '../db/lookup-cache.ts';
import { readTogether } from '../db/read-together.ts';
import type { Services } from '../http/route.ts';
import { toSession } from '../sessions/session.ts';
import { ChangeStreams } from './change-streams.ts';
import { sessionsAndApplicationVersion } from './queries.ts';
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
    readVisitorSession: readTogether(async (ids, applicationId) => {
      const rows = await sessionsAndApplicationVersion.all(database, { ids, applicationId, now: clock.now() });
      return rows.map((row) => [row.id, { session: toSession(row), applicationVersion: row.application_version }]);
    }),
    refOf,
    changeStreams: new ChangeStreams({ ...needs, refOf }),
  };
}
