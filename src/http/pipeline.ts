import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of a connection are read while the ones before them wait for their answers. */
const MAX_AHEAD = 10;
/**
 * How many requests of all connections together may wait. Node reads 64 KiB at once, which may be two thousand
 * requests.
 */
const MAX_WAITING = 10_000;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** The requests of one connection: the one that is being answered, and those read after it. */
interface Line {
  readonly socket: Socket;
  current: IncomingMessage | undefined;
  readonly waiting: Exchange[];
  isWatched: boolean;
  /** What to do once nothing waits any more. */
  atEnd: (() => void) | undefined;
}

const isBehind = ({ waiting }: Line): boolean => waiting.length >= MAX_AHEAD;

/**
 * Answers the requests of each connection one after the other, and stops reading from a connection that is behind,
 * because its client sends faster than the service answers or does not read the answers.
 *
 * A client may send many requests without waiting for answers (pipelining), and Node delivers all that it has read at
 * once. All other clients would wait until the last of them is answered. So the next request begins in a later turn of
 * the event loop, after the answer before it.
 *
 * @see RFC 9112 §9.3.2
 */
export class Pipeline {
  readonly #lines = new WeakMap<Socket, Line>();
  #waiting = 0;

  /** Makes the listener of a server's requests. `answer` gets one request of each connection at a time. */
  listener(answer: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      let line = this.#lines.get(socket);
      if (!line) {
        line = { socket, current: undefined, waiting: [], isWatched: false, atEnd: undefined };
        this.#lines.set(socket, line);
      }
      if (line.current) this.#wait(line, [request, response]);
      else this.#begin(line, [request, response], answer);
    };
  }

  /** Whether a request of the connection is being answered or waits to be. */
  isBusy(socket: Socket): boolean {
    return this.#lines.get(socket)?.current !== undefined;
  }

  /**
   * For a connection that can no longer be read: calls `work` once every complete request has its answer. An incomplete
   * request gets none.
   */
  whenAnswered(socket: Socket, work: () => void): void {
    const line = this.#lines.get(socket);
    const [last] = line?.waiting.at(-1) ?? [];
    if (last && !last.complete) this.#waiting -= line?.waiting.splice(-1).length ?? 0;
    if (line?.current?.complete) line.atEnd = work;
    else work();
  }

  #begin(line: Line, [request, response]: Exchange, answer: RequestListener): void {
    line.current = request;
    response.once('close', () => {
      if (line.waiting.length === 0 || line.socket.destroyed) this.#goOn(line, answer);
      else setImmediate(() => this.#goOn(line, answer));
    });
    answer(request, response);
  }

  #goOn(line: Line, answer: RequestListener): void {
    if (line.socket.destroyed) this.#waiting -= line.waiting.splice(0).length;
    const next = line.waiting.shift();
    line.current = next?.[0];
    if (!next) {
      line.atEnd?.();
      return;
    }
    this.#waiting -= 1;
    if (!isBehind(line)) line.socket.resume();
    this.#begin(line, next, answer);
  }

  #wait(line: Line, exchange: Exchange): void {
    const { socket } = line;
    line.waiting.push(exchange);
    this.#waiting += 1;
    if (!line.isWatched) this.#watch(line);
    if (isBehind(line)) socket.pause();
    if (this.#waiting > MAX_WAITING) socket.destroy();
  }

  /** Node resumes a connection after each answer. */
  #watch(line: Line): void {
    line.isWatched = true;
    line.socket.on('resume', () => {
      if (isBehind(line)) line.socket.pause();
    });
  }
}
