import { FedChanges } from '../db/changes.ts';
import { MAIL } from '../delivery/mail.ts';
import type { Services } from '../http/route.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { WEBHOOK } from '../webhooks/queue-deliveries.ts';
import { waitingMessages } from './queries.ts';

const LOOK_EVERY_MS = 2 * SECOND_MS;

/** Looks at the database now and then, so that no scrape has to. */
export class DatabaseWatch {
  readonly #services: Pick<Services, 'database' | 'clock'>;
  readonly #timer: NodeJS.Timeout;
  #look: Promise<void> | undefined;
  isUp = false;
  mailsWaiting = 0;
  webhooksWaiting = 0;

  constructor(services: Pick<Services, 'database' | 'clock'>) {
    this.#services = services;
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
    this.look();
  }

  /** Whether changes of other processes arrive; an SQLite file is looked at with each question. */
  get isFeedUp(): boolean {
    const { changes } = this.#services.database;
    return changes instanceof FedChanges ? changes.areKnown() : this.isUp;
  }

  look(): void {
    this.#look ??= this.#read().finally(() => {
      this.#look = undefined;
    });
  }

  async #read(): Promise<void> {
    const { database, clock } = this.#services;
    try {
      const now = clock.now();
      const waitingOf = async (kind: string) => (await waitingMessages.first(database, { kind, now }))?.count ?? 0;
      this.mailsWaiting = await waitingOf(MAIL);
      this.webhooksWaiting = await waitingOf(WEBHOOK);
      this.isUp = true;
    } catch {
      // What is wrong is logged by those who needed an answer.
      this.isUp = false;
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#look;
  }
}
