import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startService } from '../lifecycle/support.ts';
import { freshDatabase } from '../support/each-database.ts';
import { addUsers, eventually, placeAt } from './support.ts';

/** The limits of a running process can be set only on Linux. */
const canLimit = spawnSync('prlimit', ['--version']).status === 0;
const ROOM = 20;

const count = (text: string, part: string): number => text.split(part).length - 1;

test.skipIf(!canLimit)(
  'without free file descriptors the log has one line about it, and one when the shortage ends',
  async (t) => {
    const fresh = await freshDatabase('sqlite');
    t.onTestFinished(fresh.drop);
    const place = await placeAt(t, fresh.url);
    await addUsers(t, place);
    const service = await startService(t, place);
    const taken = readdirSync(`/proc/${service.pid}/fd`).length;
    const limited = spawnSync('prlimit', ['--pid', String(service.pid), `--nofile=${taken + ROOM}`]);
    expect(limited.status).toBe(0);

    const sockets: Socket[] = [];
    t.onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    for (let i = 0; i < 4 * ROOM; i += 1) sockets.push(connect(service.port, '127.0.0.1').on('error', () => undefined));
    await eventually(async () => service.stdout().includes('no file descriptors are left'));
    for (const socket of sockets) socket.destroy();
    await eventually(async () => service.stdout().includes('file descriptors are free again'));

    expect((await service.client().get('/healthz')).status).toBe(200);
    expect(count(service.stdout(), 'no file descriptors are left')).toBe(1);
    expect(count(service.stdout(), 'file descriptors are free again')).toBe(1);
  },
);
