import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { eachDatabase } from '../support/each-database.ts';
import { PASSWORD, startApp, type TestApp } from '../support/start-app.ts';
import { expectError } from './support.ts';

const MAX_UNDER_WAY = 1000;
const CROWD = MAX_UNDER_WAY + 100;

/** Holds up every sign-in before its first query, until the answered function is called. */
function holdSignIns({ services }: TestApp): () => void {
  const { verify, verifyNothing } = services.passwords;
  let release = () => {};
  const guard = new Promise<void>((open) => {
    release = open;
  });
  services.passwords.verify = async () => guard.then(() => false);
  services.passwords.verifyNothing = async () => guard.then((): false => false);
  return () => {
    Object.assign(services.passwords, { verify, verifyNothing });
    release();
  };
}

function signIn({ port }: TestApp, number: number): { socket: Socket; status: Promise<number> } {
  const body = JSON.stringify({ username: 'nobody', password: PASSWORD });
  const socket = connect(port, '127.0.0.1');
  const head = [
    'POST /authsvc/api/login HTTP/1.1',
    'Host: localhost',
    `X-Forwarded-For: 10.1.${number >> 8}.${number & 255}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  const status = new Promise<number>((done, fail) => {
    socket.once('data', (chunk) => done(Number(chunk.toString().split(' ')[1])));
    socket.once('error', fail);
  });
  return { socket, status };
}

eachDatabase('more requests than the process can answer', (database) => {
  test('are refused with a time to come back; session checks and health are answered; then all is as before', async (t) => {
    const app = await startApp(t, { database });
    const user = await app.seedUser();
    const client = await app.signIn(user);
    const release = holdSignIns(app);
    const crowd = Array.from({ length: CROWD }, (_, number) => signIn(app, number));
    t.onTestFinished(() => {
      for (const { socket } of crowd) socket.destroy();
    });
    await expect.poll(async () => (await client.get('/authsvc/login')).status, { timeout: 20_000 }).toBe(503);

    const refused = await app.client().login({ ...user, password: PASSWORD });
    const check = await client.get('/authsvc/api/checkSession');
    const health = await Promise.all(['/healthz', '/readyz'].map((path) => client.get(path)));
    const lines = app.log().filter(({ level }) => level === 'error');
    release();
    const answers = await Promise.all(crowd.map(({ status }) => status));

    expectError(refused, 'OVERLOADED');
    expect(refused.headers['retry-after']).toBe('1');
    expect(check.body.session_valid).toBe(true);
    expect(health.map(({ status }) => status)).toEqual([200, 200]);
    expect(lines).toEqual([]);
    expect(new Set(answers)).toEqual(new Set([404, 503]));
    expect(answers.filter((status) => status === 404).length).toBeGreaterThan(MAX_UNDER_WAY - 50);
    expect((await client.get('/authsvc/')).status).toBe(200);
    expect((await app.client().login(user)).status).toBe(200);
  });

  test('clients that went away no longer count', async (t) => {
    const app = await startApp(t, { database });
    const client = app.client();
    const release = holdSignIns(app);
    t.onTestFinished(release);
    const crowd = Array.from({ length: CROWD }, (_, number) => signIn(app, number));
    for (const { status } of crowd) status.catch(() => undefined);
    await expect.poll(async () => (await client.get('/authsvc/login')).status, { timeout: 20_000 }).toBe(503);

    for (const { socket } of crowd) socket.destroy();

    await expect.poll(async () => (await client.get('/authsvc/login')).status, { timeout: 5000 }).toBe(200);
  });
});
