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
/** A little less than a second, because a check is sometimes a little late. */
const COMMENT_AFTER_MS = 900;
/** Streams end if the process has not known for this long that every change had arrived. */
const MAX_LAG_MS = 1500;
/** How long an application's request for a stream waits for the change feed. */
const PATIENCE_MS = 2000;
const RETRY_AFTER_SECONDS = 1;

interface Stream {
  /** The application, updated with its own changes. */
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
 * The open streams that tell applications which cached answers are no longer valid.
 *
 * A stream sends heartbeats only while this process knows of every change. Otherwise the streams end, and applications
 * ask about each visitor until they have new streams.
 */
export class ChangeStreams {
  readonly #needs: Needs;
  /** By application, so that no application takes all of them. */
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
   * Waits until an application can open a stream.
   *
   * @throws AppError OVERLOADED if there are too many and no application has more, the process stops, or it does not know of
   * every change
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
   * Begins a stream after `requireRoom`. Beyond the limit, the application with the most streams loses its oldest one.
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

  /** From its first event on, a stream reports each change that is committed after it. */
  async #greet(stream: Stream): Promise<void> {
    await this.#settle();
    if (!this.#streams.has(stream.application.key, stream)) return;
    stream.open.write(HELLO);
    stream.isGreeted = true;
  }

  /** On SQLite a change is noted when its row is written. The transaction that wrote it holds the only connection. */
  async #settle(): Promise<void> {
    const { database } = this.#needs;
    if (database.kind === 'sqlite') await database.ping();
  }

  /** Ends all streams, and opens no more. */
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

  /** Reports changes once they are committed, because another process must not answer with the state before. */
  async #deliverPending(): Promise<void> {
    const { refOf } = this.#needs;
    const changes = [...this.#pending];
    this.#pending = new Set();
    await this.#settle();
    const texts = new Map<Application, string>();
    for (const { application, open } of this.#greeted()) {
      const text = texts.get(application) ?? eventsOf(changes, application, refOf);
      texts.set(application, text);
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

  /** Updates each application with its own changes, and ends streams whose application may no longer have one. */
  async #compareApplications(): Promise<void> {
    const { active } = await findRegistry(this.#needs);
    const now = this.#needs.clock.now();
    for (const stream of this.#streams) {
      const { application: known, secretHash, open } = stream;
      const current = active.get(known.key);
      // The registry may still be from before the stream began.
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
