import { AggregatorRegistry } from 'prom-client';

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Returns the highest weight (q) that an Accept header gives to one of these media types. Returns 0 if it accepts
 * none of them.
 */
function preference(accept: string, types: readonly string[]): number {
  const weights = accept.split(',').flatMap((part) => {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
    return types.includes(type) ? [Number(weight) || 0] : [];
  });
  return Math.max(0, ...weights);
}

/** Returns the content type that a client prefers according to its Accept header. */
export const contentTypeFor = (accept = '*/*'): typeof OPEN_METRICS | typeof TEXT =>
  preference(accept, ['application/openmetrics-text']) > preference(accept, ['text/plain', 'text/*', '*/*'])
    ? OPEN_METRICS
    : TEXT;

/**
 * Adds up the metrics of all processes, and renames the counters for OpenMetrics. There the name of a family has no
 * `_total`; the library adds it to the name of each sample.
 */
async function openMetrics(snapshots: readonly object[]) {
  const families = await AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON();
  const named = families.map((family) => {
    // The library's type declares other values, but at run time the type of a counter is this string.
    const isCounter = String(family.type) === 'counter';
    return isCounter ? { ...family, name: family.name.replace(/_total$/, '') } : family;
  });
  return AggregatorRegistry.aggregate<ReturnType<typeof contentTypeFor>>([named]);
}

/**
 * Writes the metrics of all processes as one text.
 *
 * @param snapshots the metric families of each process
 * @see Prometheus text format 0.0.4, OpenMetrics 1.0
 */
export async function expose(snapshots: readonly object[], type: ReturnType<typeof contentTypeFor>): Promise<string> {
  const registry =
    type === OPEN_METRICS ? await openMetrics(snapshots) : AggregatorRegistry.aggregate<typeof type>([...snapshots]);
  registry.setContentType(type);
  return registry.metrics();
}
