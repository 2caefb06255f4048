// Measures what the change feed costs PostgreSQL when a session ends: `npx tsx bench/notify.ts`. Deletes sessions one by
// one, with the triggers of the feed and without them, while one connection listens.
import process from 'node:process';
import { Client } from 'pg';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/open.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { postgresStore } from './fill.ts';
import { median } from './load.ts';
import { postgresMeter } from './processes.ts';

const ROUNDS = 7;
const ENDED = 1000;

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const server = await startPostgres();
try {
  const database = await openDatabase(server.url, { max: 1, isPatient: true, onTrouble: () => undefined });
  await migrate(database);
  await database.close();
  const store = await postgresStore(server.url);
  await store.fill(20_000, '');
  const ids = await store.sampleIds(20_000);
  await store.close();
  const [listener, client] = [await connect(server.url), await connect(server.url)];
  await listener.query('listen authsvc_changes');
  const meter = await postgresMeter(server.url);
  const costs = { enable: [] as number[], disable: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const state of ['enable', 'disable'] as const) {
      await client.query(`alter table sessions ${state} trigger user`);
      const before = meter();
      for (const id of ids.splice(0, ENDED)) await client.query('delete from sessions where id = $1', [id]);
      if (round > 0) costs[state].push((meter() - before) / ENDED);
    }
  }
  const [told, silent] = [median(costs.enable), median(costs.disable)];
  const more = median(costs.enable.map((cost, at) => cost - (costs.disable[at] ?? cost)));
  process.stdout.write(
    `PostgreSQL CPU µs a session ended: ${told.toFixed(0)} with the feed, ${silent.toFixed(0)} without, ${more.toFixed(0)} more (median of rounds)\n`,
  );
  await client.end();
  await listener.end();
} finally {
  await server.stop();
}
