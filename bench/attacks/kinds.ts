// Defines the attacks. bench/attacks.ts runs each in its own process, so that it does not slow down the measuring
// process.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface Target {
  port: number;
  /** The cookies of a signed-in user. */
  cookie: string;
  /** From how many networks the attack comes. */
  sources: number;
  milliseconds: number;
}

/** Runs an attack and returns what the attackers observed, as text. */
type Attack = (target: Target) => Promise<string>;

const PASSWORD = 'a-wrong-guess-7';

/** Runs `work` this many times in parallel, again and again until the time ends. */
async function together(count: number, { milliseconds }: Target, work: (at: number) => Promise<void>): Promise<void> {
  const end = performance.now() + milliseconds;
  const keepOn = async (at: number) => {
    while (performance.now() < end) await work(at);
  };
  await Promise.race([Promise.all(Array.from({ length: count }, (_, at) => keepOn(at))), wait(milliseconds)]);
}

async function open(port: number): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined);
  if (!socket.readyState.startsWith('open')) await wait(20);
  return socket.readyState === 'open' ? socket : undefined;
}

interface Head {
  line: string;
  address: string;
  cookie?: string;
  length?: number;
}

const headOf = ({ line, address, cookie, length }: Head): string =>
  [
    `${line} HTTP/1.1`,
    'Host: localhost',
    `X-Forwarded-For: ${address}`,
    ...(cookie ? [`Cookie: ${cookie}`] : []),
    ...(length === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${length}`]),
    '\r\n',
  ].join('\r\n');

const ipv4 = (at: number): string => `198.51.100.${at + 1}`;
/** Returns an address in the /48 network with the number `at`, each time in a /64 that was not used before. */
let subnets = 0;
function ipv6(at: number): string {
  subnets += 1;
  return `2001:db8:${(at + 1).toString(16)}:${(subnets & 0xffff).toString(16)}::1`;
}

const CROWD = 1000;

/**
 * On each connection, sends a request head and the first byte of its body, waits until the server closes the connection,
 * and starts again.
 */
async function halfBodies(target: Target, lines: readonly string[], cookie?: string): Promise<string> {
  let opened = 0;
  await together(CROWD, target, async (at) => {
    const socket = await open(target.port);
    if (!socket) return;
    opened += 1;
    const line = lines[Math.floor(at / target.sources) % lines.length] ?? '';
    socket.write(`${headOf({ line, address: ipv4(at % target.sources), length: 60, ...(cookie ? { cookie } : {}) })}{`);
    socket.resume();
    await once(socket, 'close').catch(() => undefined);
  });
  return `${opened} connections`;
}

const publicPosts = [
  ...Array.from({ length: 8 }, () => 'POST /authsvc/api/login'),
  ...Array.from({ length: 60 }, () => 'POST /api/cli/device/token'),
  ...Array.from({ length: 60 }, () => 'POST /api/tokens/revoke'),
  ...Array.from({ length: 20 }, () => 'POST /api/cli/device'),
];

const PIPELINED = 500;
const PIPES = 8;
const errorList = (at: number) => headOf({ line: 'GET /authsvc/ErrorCode', address: ipv4(at) });

/** Sends 500 requests at once on each of 8 connections, reads all replies, and starts again. */
async function pipelined(target: Target): Promise<string> {
  let answers = 0;
  await together(PIPES, target, async (at) => {
    const socket = await open(target.port);
    if (!socket) return;
    socket.setEncoding('latin1').on('data', (text) => {
      answers += String(text).split('HTTP/1.1 200').length - 1;
    });
    socket.end(errorList(at % target.sources).repeat(PIPELINED));
    await once(socket, 'close').catch(() => undefined);
  });
  return `${answers} answers`;
}

/** Does the same as `pipelined` without reading any reply. Each connection sends for as long as it can. */
async function unread(target: Target): Promise<string> {
  let sent = 0;
  const text = errorList(0).repeat(PIPELINED);
  await together(PIPES, target, async () => {
    const socket = await open(target.port);
    if (!socket) return;
    socket.pause();
    const closed = once(socket, 'close').catch(() => undefined);
    while (!socket.destroyed) {
      sent += PIPELINED;
      if (!socket.write(text)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
    }
  });
  return `${sent} requests written`;
}

/** Signs in with a wrong password. Returns the status of the reply, or 0 if the connection ended without a reply. */
async function guess(port: number, address: string): Promise<number> {
  const socket = await open(port);
  if (!socket) return 0;
  const body = JSON.stringify({ username: 'ada', password: PASSWORD });
  socket.write(headOf({ line: 'POST /authsvc/api/login', address, length: body.length }) + body);
  const [first] = await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => []);
  socket.destroy();
  return first instanceof Buffer ? Number(first.toString('latin1').split(' ')[1]) : 0;
}

/** Guesses 160 passwords at once, each from a different /64. */
async function guesses(target: Target): Promise<string> {
  const counts = new Map<number, number>();
  await together(160, target, async (at) => {
    const status = await guess(target.port, ipv6(at % target.sources));
    counts.set(status, (counts.get(status) ?? 0) + 1);
  });
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
}

/** Sends 100 logins at once, each from a different /64, and cancels them immediately; repeats this twice a second. */
async function abandoned(target: Target): Promise<string> {
  let given = 0;
  await together(100, target, async (at) => {
    const socket = await open(target.port);
    if (socket) {
      const body = JSON.stringify({ username: 'ada', password: PASSWORD });
      const address = ipv6(at % target.sources);
      socket.write(headOf({ line: 'POST /authsvc/api/login', address, length: body.length }) + body);
      await wait(20);
      socket.destroy();
      given += 1;
    }
    await wait(480);
  });
  return `${given} given up`;
}

const SURGE_EVERY_MS = 2;

/** Sends about 500 logins a second, each from a different network. That is ten times what a processor can hash. */
async function surge(target: Target): Promise<string> {
  const took: number[] = [];
  let refused = 0;
  const end = performance.now() + target.milliseconds;
  const all: Promise<void>[] = [];
  for (let at = 0; performance.now() < end; at += 1) {
    const begin = performance.now();
    const address = `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
    const one = guess(target.port, address).then((status) => {
      if (status === 401) took.push(performance.now() - begin);
      else refused += 1;
    });
    all.push(one);
    await wait(SURGE_EVERY_MS);
  }
  await Promise.race([Promise.all(all), wait(15_000)]);
  took.sort((a, b) => a - b);
  const at = (share: number) => Math.round(took[Math.floor(took.length * share)] ?? 0);
  return `${took.length} hashed (p50 ${at(0.5)} ms, p99 ${at(0.99)} ms), ${refused} refused`;
}

/** Every attack by its name. `sources` lists the numbers of networks from which it is tried. */
export const attacks: Record<string, { attack: Attack; sources: readonly number[] }> = {
  nothing: { attack: ({ milliseconds }) => wait(milliseconds, 'no attack'), sources: [0] },
  'half bodies, signed in': {
    attack: (target) => halfBodies(target, ['POST /api/token'], target.cookie),
    sources: [1, 10],
  },
  'half bodies, signed out': { attack: (target) => halfBodies(target, publicPosts), sources: [1, 10] },
  'pipelined pages': { attack: pipelined, sources: [1, 10] },
  'answers that are not read': { attack: unread, sources: [1] },
  'guesses from IPv6': { attack: guesses, sources: [1, 10] },
  'logins given up': { attack: abandoned, sources: [1, 10] },
  'ten times the logins': { attack: surge, sources: [0] },
};
