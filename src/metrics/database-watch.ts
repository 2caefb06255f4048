import { FedChanges } from '../db/changes.ts';
import { MAIL } from '../delivery/mail.ts';
import type { Services } from '../http/route.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { WEBHOOK } from '../webhooks/queue-deliveries.ts';
import { waitingMessages } from './queries.ts';

const LOOK_EVERY_MS = 2 * SECOND_MS;

/** Queries the database every two seconds, so that reading the metrics runs no query. */
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

  /**
   * Whether this process receives the changes of other processes. With SQLite this is true while the database
   * answers, because each check reads the file itself.
   */
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
      // The error is not logged here, because every request that needs the database logs it.
      this.isUp = false;
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#look;
  }
}
