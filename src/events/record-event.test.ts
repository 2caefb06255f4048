import { expect, onTestFinished, test } from 'vitest';
import { eachDatabase, freshDatabase } from '../../test/support/each-database.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { systemClock } from '../lib/clock.ts';
import type { AppEvent } from './event-types.ts';
import { eventSinkWith, recordEvents } from './record-event.ts';

const created = (id: number): AppEvent => ({
  type: 'user.created',
  actor: { type: 'system' },
  subject: { id, name: `user-${id}` },
  details: { role: 'normaluser', allowed_apps: [], is_active: true },
});

eachDatabase('several changes in one transaction', (kind) => {
  test('each event is passed to the writers with its audit log id, unless it changed nothing', async () => {
    const passedOn = new Map<number, string | null>();
    const fresh = await freshDatabase(kind);
    const database = await openDatabase(fresh.url, {
      max: 2,
      isPatient: true,
      onTrouble: () => undefined,
      events: eventSinkWith({
        subscribers: [{ onEvent: async (_tx, { subject }) => ({ ended: subject?.id === 3 ? 2 : 0 }) }],
        writers: [{ write: (_tx, record, { id }) => void passedOn.set(id, record.subject_name) }],
        clock: systemClock,
      }),
    });
    onTestFinished(async () => {
      await database.close();
      await fresh.drop();
    });
    await migrate(database);
    const events = [1, 2, 3, 4].map((id) => ({ ...created(id), changesNothing: id === 2 || id === 3 }));

    const counts = await database.transaction((tx) => recordEvents(tx, events));

    expect(counts).toEqual([{ ended: 0 }, { ended: 0 }, { ended: 2 }, { ended: 0 }]);
    const rows = await database.kysely
      .selectFrom('audit_events')
      .select(['id', 'subject_name'])
      .orderBy('id')
      .execute();
    expect(rows.map(({ subject_name }) => subject_name)).toEqual(['user-1', 'user-3', 'user-4']);
    expect([...passedOn]).toEqual(rows.map(({ id, subject_name }) => [id, subject_name]));
  });
});
