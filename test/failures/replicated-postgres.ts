import { existsSync } from 'node:fs';
import { appendFile, chmod, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import type { Owner } from '../support/serve.ts';
import { eventually, query } from './support.ts';

export interface ReplicatedPostgres {
  /** One URL with the hosts of both servers, first `primary`, then `follower`. */
  url: string;
  primary: PostgresServer;
  follower: PostgresServer;
}

/** Starts two servers. One follows the other by streaming replication, and each commit waits for both. */
export async function replicatedPostgres(t: Owner): Promise<ReplicatedPostgres> {
  const primary = await startPostgres();
  t.onTestFinished(() => primary.stop());
  const { password, port } = new URL(primary.url);
  const prepare = async (data: string) => {
    await primary.halt();
    await eventually(async () => !existsSync(join(primary.data, 'postmaster.pid')));
    await cp(primary.data, data, { recursive: true });
    await chmod(data, 0o700);
    await primary.resume();
    await writeFile(join(data, 'standby.signal'), '');
    const way = `host=127.0.0.1 port=${port} user=postgres password=${password}`;
    await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${way}'\n`);
  };
  const follower = await startPostgres({ password, prepare });
  t.onTestFinished(() => follower.stop());
  await query(primary.url, "alter system set synchronous_standby_names = '*'");
  await query(primary.url, 'select pg_reload_conf()');
  await eventually(async () => {
    const [row] = await query(primary.url, 'select sync_state from pg_stat_replication');
    return row?.sync_state === 'sync';
  });
  const url = primary.url.replace(/\/postgres$/, `,127.0.0.1:${new URL(follower.url).port}/postgres`);
  return { url, primary, follower };
}
