// An Express application that checks sessions through authsvc-client, and an authsvc in a child process. The benchmark
// measures both together.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { createAuth } from 'authsvc-client';
import { protect } from 'authsvc-client/express';
import express from 'express';

const program = join(import.meta.dirname, '../../dist/main.js');
const command = (...args) => execFileSync(process.execPath, [program, ...args, '--json'], { encoding: 'utf8' });
try {
  command('app', 'add', 'bench', '--name', 'Bench');
  command('user', 'set', 'bench', '--app', 'authsvc', '--app', 'bench');
} catch {
  // At every start except the first, the application already exists.
}
const { secret } = JSON.parse(command('app', 'rotate-secret', 'bench'));
const env = { ...process.env, PORT: '0' };
const service = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
process.on('SIGTERM', async () => {
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
  process.exit(0);
});
let server;
for await (const text of service.stdout) {
  [, server] = /listening at (http:[^"]+)"/.exec(text) ?? [];
  if (server) break;
}

const auth = createAuth({ server, app: 'bench', secret });
const app = express();
app.post('/login', express.json(), async (request, response) => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(request.body);
  const reply = await fetch(`${server}/authsvc/api/login`, { method: 'POST', headers, body });
  response
    .set('set-cookie', reply.headers.getSetCookie())
    .status(reply.status)
    .send(await reply.text());
});
app.get('/check', protect(auth), (request, response) => response.json({ username: request.visitor.username }));
app.get('/', (_request, response) => response.json({ status: 'ok' }));
app.listen(Number(process.env.PORT), '127.0.0.1');
