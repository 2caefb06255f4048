import { isObject } from './visitor.ts';

/** Without a byte for this long, the stream may have been cut. */
const ALIVE_MS = 2000;
/** A stream without a byte for this long is given up. */
const SILENT_MS = 4000;
/** The stream ends without a question for this long. */
const IDLE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
/** A stream that lived this long was no failure. */
const LASTING_MS = 5000;
/** No event is longer. */
const MAX_LENGTH = 1024 * 1024;

interface Parts {
  /** Opens the stream. */
  open(signal: AbortSignal): Promise<Response>;
  timeoutMs: number;
  /** `lost`: anything may have changed. */
  on: { ended(refs: string[]): void; user(userId: number): void; lost(): void };
}

/** A clock that cannot be set, and one that goes on while the machine sleeps. */
const now = () => [performance.now(), Date.now()] as const;

function parse(data: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The stream of changes from the service. A question opens it; after a break it opens again. */
export class ChangeStream {
  readonly #parts: Parts;
  #running: AbortController | undefined;
  #isClosed = false;
  #isOpen = false;
  #heardAt = now();
  #askedAt = 0;
  #count = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Grows with each event and each break. */
  get count(): number {
    return this.#count;
  }

  /** Takes note of a question. @returns whether the stream is known to be alive */
  ask(): boolean {
    this.#askedAt = performance.now();
    if (!this.#running && !this.#isClosed) void this.#run();
    return this.isAlive();
  }

  isAlive(): boolean {
    if (!this.#isOpen) return false;
    const [steady, wall] = this.#heardAt;
    return performance.now() - steady < ALIVE_MS && Math.abs(Date.now() - wall) < ALIVE_MS;
  }

  close(): void {
    this.#isClosed = true;
    this.#running?.abort();
    this.#lose();
  }

  #isWanted(): boolean {
    return !this.#isClosed && performance.now() - this.#askedAt < IDLE_MS;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (this.#isWanted()) {
      const begun = performance.now();
      this.#running = new AbortController();
      // A break is no error: each question asks the service until the stream is back.
      await this.#follow(this.#running).catch(() => undefined);
      this.#running.abort();
      this.#lose();
      failures = performance.now() - begun > LASTING_MS ? 0 : failures + 1;
      if (!this.#isWanted()) break;
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(failures - 1, 0), MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    this.#running = undefined;
  }

  async #follow(stop: AbortController): Promise<void> {
    let timer = setTimeout(() => stop.abort(), this.#parts.timeoutMs);
    try {
      const { ok, headers, body } = await this.#parts.open(stop.signal);
      const reader = body?.getReader();
      if (!ok || !reader || !headers.get('content-type')?.startsWith('text/event-stream')) return;
      const decoder = new TextDecoder();
      let rest = '';
      for (;;) {
        clearTimeout(timer);
        timer = setTimeout(() => stop.abort(), SILENT_MS);
        const { done, value } = await reader.read();
        if (done || !this.#isWanted()) return;
        // What the service told of while nothing came may still be on its way.
        if (this.#isOpen && !this.isAlive()) this.#drop();
        this.#heardAt = now();
        const blocks = (rest + decoder.decode(value, { stream: true })).replaceAll('\r\n', '\n').split('\n\n');
        rest = blocks.pop() ?? '';
        if (rest.length > MAX_LENGTH) return;
        for (const block of blocks) this.#take(block);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #take(block: string): void {
    const lines = block.split('\n');
    const field = (name: string) =>
      lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim());
    const [event] = field('event');
    if (event === undefined) return;
    const { refs, user_id: userId } = parse(field('data').join('\n'));
    if (event === 'hello') this.#isOpen = true;
    this.#count += 1;
    if (event === 'ended' && Array.isArray(refs)) this.#parts.on.ended(refs);
    else if (event === 'user' && typeof userId === 'number') this.#parts.on.user(userId);
    else this.#drop();
  }

  #lose(): void {
    this.#isOpen = false;
    this.#drop();
  }

  #drop(): void {
    this.#count += 1;
    this.#parts.on.lost();
  }
}
