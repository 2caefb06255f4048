import { setTimeout as sleep } from 'node:timers/promises';
import type { Application } from '../applications/application.ts';
import { findRegistry } from '../applications/registry.ts';
import { anyRowOf, type Change, EVERYTHING } from '../db/changes.ts';
import { AppError } from '../errors/app-error.ts';
import type { OpenStream } from '../http/event-stream.ts';
import type { Services } from '../http/route.ts';
import { Crowd } from '../lib/crowd.ts';
import { COMMENT, eventsOf, HELLO, LOST } from './events.ts';
import { isSecretOf, type KnownApplication } from './find-application.ts';

const MAX_STREAMS = 2000;
const LOOK_EVERY_MS = 200;
/** Time between heartbeats: a little less than a second, because timers sometimes fire a little late. */
const COMMENT_AFTER_MS = 900;
/** If the process cannot be sure for this long that it has received every change, it ends all streams. */
const MAX_LAG_MS = 1500;
/** A request for a stream waits this long for the process to receive every change. Then it is refused. */
const PATIENCE_MS = 2000;
const RETRY_AFTER_SECONDS = 1;

interface Stream {
  /** The application that opened the stream, in its latest known version. */
  application: Application;
  readonly secretHash: string;
  readonly open: OpenStream;
  isGreeted: boolean;
  spokeAt: number;
}

type Needs = Pick<Services, 'database' | 'registryCache' | 'clock' | 'log' | 'refOf'>;

declare module '../http/route.ts' {
  interface Services {
    changeStreams: ChangeStreams;
  }
}

/**
 * The open streams that tell applications which of their cached answers are no longer valid.
 *
 * A stream sends heartbeats only while this process receives every change. If it does not, the streams end. Applications
 * then ask about each visitor until they have a new stream.
 */
export class ChangeStreams {
  readonly #needs: Needs;
  /** Grouped by application, so that one application cannot use up all streams. */
  readonly #streams = new Crowd<Stream>(MAX_STREAMS);
  #pending = new Set<Change>();
  #isDelivering = false;
  #isLooking = false;
  #isEnded = false;

  constructor(needs: Needs) {
    this.#needs = needs;
    needs.database.changes.onChange((change) => this.#note(change));
  }

  get size(): number {
    return this.#streams.size;
  }

  /**
   * Waits until an application may open a stream.
   *
   * @throws AppError OVERLOADED if the limit is reached and no other application has more streams than this one, if the
   *   process is stopping, or if it has not received every change in time
   */
  async requireRoom({ application }: KnownApplication): Promise<void> {
    const { changes } = this.#needs.database;
    const end = changes.steady.now() + PATIENCE_MS;
    for (;;) {
      if (this.#isEnded || !this.#streams.hasRoom(application.key)) break;
      await changes.arrive();
      if (changes.lagMs() < MAX_LAG_MS) return;
      if (changes.steady.now() > end) break;
      await sleep(LOOK_EVERY_MS / 4);
    }
    throw new AppError('OVERLOADED', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /**
   * Starts a stream after `requireRoom`. Above the limit, the application with the most streams loses its oldest stream.
   *
   * @returns the function to call when the stream has ended
   */
  begin({ application, secretHash }: KnownApplication, open: OpenStream): () => void {
    const { steady } = this.#needs.database.changes;
    const stream = { application, secretHash, open, isGreeted: false, spokeAt: steady.now() };
    if (this.#isEnded) open.end();
    else this.#add(stream);
    void this.#greet(stream).catch((error: unknown) => this.#giveUp(error));
    if (!this.#isLooking) void this.#keepLooking();
    return () => this.#remove(stream);
  }

  #add(stream: Stream): void {
    this.#streams.add(stream.application.key, stream);
    const surplus = this.#streams.surplus();
    if (surplus) this.#end(surplus);
  }

  #remove(stream: Stream): void {
    this.#streams.remove(stream.application.key, stream);
  }

  /** Sends the first event. From then on, the stream reports each change that is committed. */
  async #greet(stream: Stream): Promise<void> {
    await this.#settle();
    if (!this.#streams.has(stream.application.key, stream)) return;
    stream.open.write(HELLO);
    stream.isGreeted = true;
  }

  /**
   * Waits until noted changes are committed. On SQLite a change is noted when its row is written, before the commit. The
   * writing transaction holds the only connection, so a query on it waits for the commit.
   */
  async #settle(): Promise<void> {
    const { database } = this.#needs;
    if (database.kind === 'sqlite') await database.ping();
  }

  /** Ends all streams and accepts no new ones. */
  stop(): void {
    this.#isEnded = true;
    this.#endAll();
  }

  #greeted(): Stream[] {
    return [...this.#streams].filter(({ isGreeted }) => isGreeted);
  }

  #endAll(): void {
    for (const stream of this.#streams) this.#end(stream);
  }

  #end(stream: Stream): void {
    this.#remove(stream);
    stream.open.end();
  }

  #note(change: Change): void {
    if (this.#streams.size === 0) return;
    this.#pending.add(change);
    if (!this.#isDelivering) void this.#deliver();
  }

  async #deliver(): Promise<void> {
    this.#isDelivering = true;
    try {
      while (this.#pending.size > 0) await this.#deliverPending();
    } catch (error) {
      this.#giveUp(error);
    } finally {
      this.#isDelivering = false;
    }
  }

  /** Reports changes only after their commit. Otherwise an application could ask another process and get the old state. */
  async #deliverPending(): Promise<void> {
    const { refOf } = this.#needs;
    const changes = [...this.#pending];
    this.#pending = new Set();
    await this.#settle();
    const texts = new Map<number, string>();
    for (const { application, open } of this.#greeted()) {
      const text = texts.get(application.id) ?? eventsOf(changes, application, refOf);
      texts.set(application.id, text);
      if (text !== '') open.write(text);
    }
    if (changes.includes(EVERYTHING) || changes.includes(anyRowOf('applications'))) await this.#compareApplications();
  }

  async #keepLooking(): Promise<void> {
    this.#isLooking = true;
    while (this.#streams.size > 0) {
      await sleep(LOOK_EVERY_MS);
      await this.#look().catch((error: unknown) => this.#giveUp(error));
    }
    this.#isLooking = false;
  }

  async #look(): Promise<void> {
    const { changes } = this.#needs.database;
    await changes.arrive();
    if (changes.lagMs() >= MAX_LAG_MS) return this.#endAll();
    await this.#compareApplications();
    const now = changes.steady.now();
    for (const stream of this.#greeted()) {
      if (now - stream.spokeAt < COMMENT_AFTER_MS) continue;
      stream.spokeAt = now;
      stream.open.write(COMMENT);
    }
  }

  /**
   * Reads the current version of each stream's application. Ends the streams of applications that may no longer have a
   * stream.
   */
  async #compareApplications(): Promise<void> {
    const { active } = await findRegistry(this.#needs);
    const now = this.#needs.clock.now();
    for (const stream of this.#streams) {
      const { application: known, secretHash, open } = stream;
      const current = active.get(known.key);
      // The cached registry may be older than the stream.
      if (current?.id === known.id && current.version < known.version) continue;
      if (current?.id !== known.id || current.isThirdParty || !isSecretOf(current, secretHash, now)) this.#end(stream);
      else if (current.version !== known.version) {
        stream.application = current;
        if (stream.isGreeted) open.write(LOST);
      }
    }
  }

  #giveUp(error: unknown): void {
    const { size } = this.#streams;
    this.#endAll();
    if (size > 0)
      this.#needs.log.warn({ err: error, streams: size }, 'closed the streams of all applications after a failure');
  }
}
