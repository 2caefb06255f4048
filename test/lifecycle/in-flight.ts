import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Owner, PASSWORD, type Service } from './support.ts';

export async function openSocket(t: Owner, { port }: Service): Promise<{ socket: Socket; heard: () => string }> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.setEncoding('utf8').on('data', (text) => {
    heard += text;
  });
  socket.on('error', () => undefined);
  t.onTestFinished(async () => void socket.destroy());
  await once(socket, 'connect');
  return { socket, heard: () => heard };
}

/** Sends the first part of ada's login. `finish` sends the rest. */
export async function beginLogin(t: Owner, service: Service): Promise<{ finish: () => void; heard: () => string }> {
  const { socket, heard } = await openSocket(t, service);
  const body = JSON.stringify({ username: 'ada', password: PASSWORD });
  const head = [
    'POST /authsvc/api/login HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
  await sleep(300);
  return { finish: () => void socket.write(body.slice(10)), heard };
}

const ANSWER_WITHIN_MS = 1000;

/**
 * Returns whether the service no longer answers. A connection may be refused, or it may stay open without an answer.
 * The second case occurs if the connection arrives just when the last worker stops listening. Node's cluster then
 * closes it only when the primary process ends.
 */
export const isRefused = ({ port }: Service): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    () => false,
    () => true,
  );

export async function eventually(holds: () => Promise<boolean>): Promise<boolean> {
  for (let i = 0; i < 200; i += 1) {
    if (await holds()) return true;
    await sleep(25);
  }
  return false;
}
