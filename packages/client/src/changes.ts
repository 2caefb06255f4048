import { parseObject } from './json-object.ts';

/** If no byte arrives for this long, the connection may be broken, so the stream no longer counts as alive. */
const ALIVE_MS = 2000;
/** If no byte arrives for this long, the client closes the stream and opens a new one. */
const SILENT_MS = 4000;
/** If the application checks no visitor for this long, the client closes the stream. */
const IDLE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;
/** If a stream lasted this long, its end does not count as a failure, and the next pause is short again. */
const LASTING_MS = 5000;
/** Limit for one event, in characters. Events of authsvc are shorter, so a longer one comes from another server. */
const MAX_LENGTH = 1024 * 1024;

interface Parts {
  /** Sends the request for the stream of changes. */
  open(signal: AbortSignal): Promise<Response>;
  /** How long opening the stream may take. */
  timeoutMs: number;
  /** `ended`: these sessions or tokens ended. `user`: this user changed. `lost`: events may be missing, so drop everything. */
  on: { ended(refs: string[]): void; user(userId: number): void; lost(): void };
}

/** Returns two times: a monotonic clock, and the wall clock, which continues while the machine sleeps. */
const now = () => [performance.now(), Date.now()] as const;

/** The stream of changes from authsvc. The first `ask` opens the stream, and after a lost connection it reconnects. */
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

  /** Increases with each event and each lost connection. If it stays the same, nothing changed meanwhile. */
  get count(): number {
    return this.#count;
  }

  /** Records that the application checks a visitor, and opens the stream if needed. @returns whether the stream is alive */
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
      // A lost connection is not reported: until the stream is back, each check sends a request to authsvc.
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
        // Events that authsvc sent during the silence may arrive after this data, so cached visitors may be outdated.
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
    const { refs, user_id: userId } = parseObject(field('data').join('\n')) ?? {};
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
