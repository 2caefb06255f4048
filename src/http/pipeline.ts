import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection are read ahead, while earlier ones wait for their answers. */
const MAX_AHEAD = 10;
/**
 * How many requests of all connections may wait. Node.js reads 64 KiB at once, which may contain two thousand
 * requests.
 */
const MAX_WAITING = 10_000;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** The requests of one connection: the one that is being answered, and those that were read after it. */
interface Line {
  readonly socket: Socket;
  current: IncomingMessage | undefined;
  readonly waiting: Exchange[];
  isWatched: boolean;
  /** Called once no request of the connection waits any more. */
  atEnd: (() => void) | undefined;
}

const isBehind = ({ waiting }: Line): boolean => waiting.length >= MAX_AHEAD;

/**
 * Answers the requests of each connection one after the other. Stops reading from a connection with too many
 * waiting requests, because its client sends faster than the service answers, or does not read the answers.
 *
 * A client may send many requests without waiting for answers (pipelining). Node.js delivers all requests that it
 * has read at once, so all other clients would have to wait until the last of them is answered. Therefore each
 * request starts in a later turn of the event loop, after the previous answer.
 *
 * @see RFC 9112 §9.3.2
 */
export class Pipeline {
  readonly #lines = new WeakMap<Socket, Line>();
  #waiting = 0;

  /** Creates the request listener of a server. It passes requests to `answer`, one of each connection at a time. */
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

  /** Returns whether a request of the connection is being answered. */
  isBusy(socket: Socket): boolean {
    return this.#lines.get(socket)?.current !== undefined;
  }

  /**
   * Calls `work` once every complete request of a connection is answered. Use it for a connection that can no
   * longer be read. An incomplete request gets no answer.
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

  /**
   * Keeps a connection paused while it has too many waiting requests, because Node.js resumes it after each answer.
   */
  #watch(line: Line): void {
    line.isWatched = true;
    line.socket.on('resume', () => {
      if (isBehind(line)) line.socket.pause();
    });
  }
}
