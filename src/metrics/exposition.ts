import { AggregatorRegistry } from 'prom-client';

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** How much a client wants one of these media types; 0: not at all. */
function preference(accept: string, types: readonly string[]): number {
  const weights = accept.split(',').flatMap((part) => {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
    return types.includes(type) ? [Number(weight) || 0] : [];
  });
  return Math.max(0, ...weights);
}

/** The form that a client prefers, by its header Accept. */
export const contentTypeFor = (accept = '*/*'): typeof OPEN_METRICS | typeof TEXT =>
  preference(accept, ['application/openmetrics-text']) > preference(accept, ['text/plain', 'text/*', '*/*'])
    ? OPEN_METRICS
    : TEXT;

/**
 * The sums of all processes, with the counters named as in OpenMetrics: there `_total` belongs to the sample, not to the
 * family, and the library adds it.
 */
async function openMetrics(snapshots: readonly object[]) {
  const families = await AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON();
  const named = families.map((family) => {
    // The library's type says otherwise, but this is its word for a counter.
    const isCounter = String(family.type) === 'counter';
    return isCounter ? { ...family, name: family.name.replace(/_total$/, '') } : family;
  });
  return AggregatorRegistry.aggregate<ReturnType<typeof contentTypeFor>>([named]);
}

/**
 * Writes the metrics of all processes as one text.
 *
 * @param snapshots the families of each process
 * @see Prometheus text format 0.0.4, OpenMetrics 1.0
 */
export async function expose(snapshots: readonly object[], type: ReturnType<typeof contentTypeFor>): Promise<string> {
  const registry =
    type === OPEN_METRICS ? await openMetrics(snapshots) : AggregatorRegistry.aggregate<typeof type>([...snapshots]);
  registry.setContentType(type);
  return registry.metrics();
}
