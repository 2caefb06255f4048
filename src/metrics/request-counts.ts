import type { AnyRoute } from '../http/route.ts';
import { Histogram } from '../lib/counts.ts';
import { counter, type Family, histogram, TIME_BOUNDS } from './families.ts';
import { type RouteClass, routeClass, routeClasses } from './route-class.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const STATUSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'aborted'];
const ABORTED = STATUSES.length - 1;
const UNMATCHED = 'unmatched';
/**
 * The maximum number of series for requests, out of the thousand series of all metrics. Further requests are
 * counted without their route and method.
 */
const MAX_SERIES = 330;

interface Series {
  method: string;
  route: string;
  /** One count per status, in the order of STATUSES. */
  counts: number[];
}

const newSeries = (method: string, route: string): Series => ({ method, route, counts: STATUSES.map(() => 0) });

/** The requests to one route. */
class RouteCounts {
  readonly #route: string;
  readonly times: Histogram;
  readonly series = new Map<string, Series>();

  constructor(route: string, times: Histogram) {
    this.#route = route;
    this.times = times;
  }

  of(method: string): Series {
    const known = this.series.get(method);
    if (known) return known;
    if (!METHODS.includes(method) && method !== 'other') return this.of('other');
    const made = newSeries(method, this.#route);
    this.series.set(method, made);
    return made;
  }
}

/** Counts requests by route, method and status. Measures durations by route class. */
export class RequestCounts {
  readonly #times: Record<RouteClass, Histogram>;
  readonly #routes: ReadonlyMap<string, RouteCounts>;
  readonly #unmatched: RouteCounts;
  readonly #beyond = newSeries('other', 'other');
  #used = 0;

  /** @param routes the route table */
  constructor(routes: readonly AnyRoute[]) {
    const ranges = () => new Histogram(TIME_BOUNDS);
    this.#times = {
      check: ranges(),
      sign_in: ranges(),
      page: ranges(),
      api: ranges(),
      admin: ranges(),
      oidc: ranges(),
      file: ranges(),
    };
    this.#unmatched = new RouteCounts(UNMATCHED, this.#times.api);
    this.#routes = new Map(
      routes.map((route) => [route.path, new RouteCounts(route.path, this.#times[routeClass(route)])]),
    );
  }

  answered(route: string, method: string, status: number, ms: number): void {
    const counts = this.#routes.get(route) ?? this.#unmatched;
    this.#count(counts, method, Math.trunc(status / 100) - 1);
    counts.times.add(ms / 1000);
  }

  aborted(route: string, method: string): void {
    this.#count(this.#routes.get(route) ?? this.#unmatched, method, ABORTED);
  }

  #count(route: RouteCounts, method: string, status: number): void {
    const { counts } = route.of(method);
    const before = counts[status] ?? 0;
    if (before > 0) counts[status] = before + 1;
    else if (this.#used < MAX_SERIES) {
      this.#used += 1;
      counts[status] = 1;
    } else this.#beyond.counts[status] = (this.#beyond.counts[status] ?? 0) + 1;
  }

  families(): Family[] {
    const routes = [...this.#routes.values(), this.#unmatched];
    const series = [...routes.flatMap((route) => [...route.series.values()]), this.#beyond];
    const requests = series.flatMap(({ method, route, counts }) =>
      counts.flatMap((value, at) =>
        value === 0 ? [] : [{ value, labels: { method, route, status: STATUSES[at] ?? '' } }],
      ),
    );
    const times = routeClasses.map((name) => ({ labels: { class: name }, ranges: this.#times[name].read() }));
    return [
      counter('http_requests_total', 'Number of requests, by method, route and status.', requests),
      histogram('http_request_duration_seconds', 'How many seconds it took to answer a request, by class.', times),
    ];
  }
}
