// A load generator that sends HTTP over plain sockets. It uses little processor time, so that the machine is left to the
// servers.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

/** Returns the raw request with a given number. `expect` is a text that every reply must contain. */
export interface Shot {
  text(number: number): string;
  expect: string;
}

export interface Outcome {
  count: number;
  seconds: number;
  /** Milliseconds, in ascending order. */
  latencies: number[];
}

const HEAD_END = '\r\n\r\n';

/** Returns whether `answer` is complete, with its head and its whole body. */
function isWhole(answer: string): boolean {
  const end = answer.indexOf(HEAD_END);
  if (end < 0) return false;
  const head = answer.slice(0, end).toLowerCase();
  if (head.includes('transfer-encoding: chunked')) return answer.endsWith('0\r\n\r\n');
  const [, length = '0'] = /\r\ncontent-length: (\d+)/.exec(head) ?? [];
  return answer.length >= end + HEAD_END.length + Number(length);
}

/** A persistent connection that sends one request at a time. */
class Connection {
  readonly #socket: Socket;
  #answer = '';
  #settle: { done(answer: string): void; fail(error: Error): void } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket.setEncoding('latin1').setNoDelay(true);
    socket.on('data', (text) => {
      this.#answer += text;
      if (isWhole(this.#answer)) this.#settle?.done(this.#answer);
    });
    socket.on('error', (error) => this.#settle?.fail(error));
    socket.on('close', () => this.#settle?.fail(new Error('the server closed the connection')));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Sends a request and returns the milliseconds until the reply. */
  async send(shot: Shot, number: number): Promise<number> {
    const begin = performance.now();
    const answer = await new Promise<string>((done, fail) => {
      this.#answer = '';
      this.#settle = { done, fail };
      this.#socket.write(shot.text(number), 'latin1');
    });
    const isExpected = answer.startsWith('HTTP/1.1 200') && answer.includes(shot.expect);
    if (!isExpected) throw new Error(`not the answer that was expected (${shot.expect}):\n${answer.slice(0, 900)}`);
    return performance.now() - begin;
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }
}

interface Load {
  port: number;
  shot: Shot;
  connections: number;
  /** Called before each request. Returns whether to send it. */
  goesOn(): boolean;
  /** The pause of a connection between two requests. Without a pause, the next request follows the reply at once. */
  pauseMs?: number;
}

const LOOK_EVERY_MS = 1;
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Reads the sockets only once per millisecond until `work` is done. Otherwise each reply would wake this process, which
 * would slow down the server in a way that a client on another machine would not.
 */
async function lookNowAndThen(work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    Atomics.wait(sleeper, 0, 0, LOOK_EVERY_MS);
    await nextTurn();
  }
  await done;
}

let sent = 0;

/** Sends requests over this many connections until `goesOn` returns false. Throws if a reply is not the expected one. */
export async function load({ port, shot, connections, goesOn, pauseMs }: Load): Promise<Outcome> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const latencies: number[] = [];
  const begin = performance.now();
  const work = async (connection: Connection) => {
    while (goesOn()) {
      sent += 1;
      latencies.push(await connection.send(shot, sent));
      if (pauseMs !== undefined) await wait(pauseMs);
    }
  };
  try {
    const all = Promise.all(open.map(work));
    await (pauseMs === undefined ? lookNowAndThen(all) : all);
  } finally {
    for (const connection of open) connection.close();
  }
  const seconds = (performance.now() - begin) / 1000;
  return { count: latencies.length, seconds, latencies: latencies.sort((a, b) => a - b) };
}

/** Returns a function that returns true for this many milliseconds. */
export function forMilliseconds(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds;
  return () => performance.now() < end;
}

/** Returns the value below which the given share of `sorted` lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}
