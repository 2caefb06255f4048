import type { Database, QueryObserver } from '../db/handle.ts';
import type { Notes } from '../events/event-log.ts';
import type { EventWriter } from '../events/record-event.ts';
import type { HttpMeter } from '../http/meter.ts';
import type { AnyRoute } from '../http/route.ts';
import { Histogram, Tally } from '../lib/counts.ts';
import { byLabel, counter, type Family, histogram, TIME_BOUNDS } from './families.ts';
import { RequestCounts } from './request-counts.ts';

type Outcome = 'delivered' | 'retried' | 'failed';
type SignInOutcome = 'success' | 'second_step' | 'refused';

/**
 * The maximum number of different labels per metric. Counts for further labels are added to `other`, so that all
 * metrics together have at most a thousand series.
 */
const MAX = { queries: 100, refusals: 70, limits: 30, events: 40, signIns: 15 };

/**
 * Everything that a process has counted since its start. Other parts of the service call the observers that this
 * class provides.
 */
export class Measurements {
  readonly #requests: RequestCounts;
  readonly #refusals = new Tally(MAX.refusals);
  readonly #limits = new Tally(MAX.limits);
  readonly #shed = new Tally();
  readonly #events = new Tally(MAX.events);
  readonly #signIns: Record<SignInOutcome, Tally> = {
    success: new Tally(MAX.signIns),
    second_step: new Tally(MAX.signIns),
    refused: new Tally(MAX.signIns),
  };
  readonly #queries = new Tally(MAX.queries);
  readonly #querySeconds = new Tally(MAX.queries);
  readonly #attempts = new Map<string, Tally<Outcome>>();
  readonly #hashWaits = new Histogram(TIME_BOUNDS);
  readonly #hashTimes = new Histogram(TIME_BOUNDS);

  /** @param routes the route table */
  constructor(routes: readonly AnyRoute[]) {
    this.#requests = new RequestCounts(routes);
  }

  readonly http: HttpMeter = {
    answered: ({ route, method, status }, ms) => this.#requests.answered(route, method, status, ms),
    aborted: ({ route, method }) => this.#requests.aborted(route, method),
    refused: (reason, shed) => {
      this.#refusals.add(reason);
      if (shed) this.#shed.add(shed);
    },
    limited: (limit) => this.#limits.add(limit),
  };

  /** Creates an observer that counts named queries. It also calls another observer, if one is given. */
  observing(observe?: (connections: Database['connections']) => QueryObserver) {
    return (connections: Database['connections']): QueryObserver => this.#watching(observe?.(connections));
  }

  #watching(next: QueryObserver | undefined): QueryObserver {
    return {
      watch: async (query, run) => {
        const from = performance.now();
        try {
          return await (next ? next.watch(query, run) : run());
        } finally {
          this.#queries.add(query.name);
          this.#querySeconds.add(query.name, (performance.now() - from) / 1000);
        }
      },
    };
  }

  /** Counts events once their change is committed. */
  readonly eventWriter: EventWriter = {
    write: (tx, { event, details }) =>
      tx.afterCommit(() => {
        this.#events.add(event);
        if (event === 'user.signed_in') this.#signIns.success.add(String(details.method));
      }),
  };

  /** Counts rows that are written to the audit log in the background. */
  readonly onAuditRow = (event: string): void => this.#events.add(event);

  /** Wraps `notes` so that refused sign-ins and second steps are counted. */
  counting(notes: Notes): Notes {
    return {
      ...notes,
      note: (note) => {
        if (note.type === 'sign_in.refused') this.#signIns.refused.add(note.details.method);
        if (note.type === 'sign_in.second_step') this.#signIns.second_step.add(note.details.method);
        notes.note(note);
      },
    };
  }

  readonly onHash = ({ waitedMs, tookMs }: { waitedMs: number; tookMs: number }): void => {
    this.#hashWaits.add(waitedMs / 1000);
    this.#hashTimes.add(tookMs / 1000);
  };

  /** Counts attempts to send a mail or a webhook delivery. */
  readonly onAttempt = (kind: string, outcome: Outcome): void => {
    const tally = this.#attempts.get(kind) ?? new Tally<Outcome>();
    this.#attempts.set(kind, tally);
    tally.add(outcome);
  };

  #signInSamples() {
    return Object.entries(this.#signIns).flatMap(([outcome, tally]) =>
      tally.entries().map(([method, value]) => ({ value, labels: { method, outcome } })),
    );
  }

  families(): Family[] {
    const attempts = (kind: string) => byLabel('outcome', this.#attempts.get(kind)?.entries() ?? []);
    const one = (ranges: Histogram) => [{ labels: {}, ranges: ranges.read() }];
    return [
      ...this.#requests.families(),
      counter('sign_ins_total', 'Number of sign-ins, by method and outcome.', this.#signInSamples()),
      counter(
        'refusals_total',
        'Number of requests that got an error reply, by the name of the error.',
        byLabel('reason', this.#refusals.entries()),
      ),
      counter(
        'rate_limited_total',
        'Number of requests refused because of a rate limit, by the name of the limit.',
        byLabel('limit', this.#limits.entries()),
      ),
      counter(
        'shed_total',
        'Number of requests refused because the service was overloaded.',
        byLabel('reason', this.#shed.entries()),
      ),
      histogram('hash_wait_seconds', 'How many seconds passwords waited to be hashed.', one(this.#hashWaits)),
      histogram('hash_duration_seconds', 'How many seconds hashing a password took.', one(this.#hashTimes)),
      counter('db_queries_total', 'Number of database queries, by name.', byLabel('query', this.#queries.entries())),
      counter(
        'db_query_seconds_total',
        'Total seconds that database queries took, by name.',
        byLabel('query', this.#querySeconds.entries()),
      ),
      counter(
        'audit_events_total',
        'Number of events written to the audit log.',
        byLabel('event', this.#events.entries()),
      ),
      counter('mails_total', 'Number of attempts to send a mail, by outcome.', attempts('mail')),
      counter(
        'webhook_deliveries_total',
        'Number of attempts to deliver to a webhook, by outcome.',
        attempts('webhook'),
      ),
    ];
  }
}
