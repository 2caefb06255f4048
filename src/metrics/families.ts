/** How the values of several processes are combined into one. */
type Aggregator = 'sum' | 'first' | 'min' | 'max' | 'average';

interface Sample {
  value: number;
  labels: Readonly<Record<string, string | number>>;
  /** For a sample of a histogram: the name with its suffix, such as `_bucket` or `_sum`. */
  metricName?: string;
}

/** A metric with all its series, in the format of prom-client. */
export interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  values: Sample[];
  aggregator: Aggregator;
}

/** Creates a counter. The values of all processes are added up. */
export const counter = (name: string, help: string, values: Sample[]): Family => ({
  name: `authsvc_${name}`,
  help,
  type: 'counter',
  values,
  aggregator: 'sum',
});

/** Creates a gauge with a single value and no labels. */
export const gauge = (name: string, help: string, value: number, aggregator: Aggregator = 'sum'): Family => ({
  name: `authsvc_${name}`,
  help,
  type: 'gauge',
  values: [{ value, labels: {} }],
  aggregator,
});

/** Creates one sample per count. The name of the count becomes the value of the label. */
export const byLabel = (label: string, counts: readonly (readonly [string, number])[]): Sample[] =>
  counts.map(([name, value]) => ({ value, labels: { [label]: name } }));

/** The upper bounds of the histogram buckets in seconds, from one millisecond to ten seconds. */
export const TIME_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Ranges {
  below: [bound: number, count: number][];
  count: number;
  sum: number;
}

/** Creates a histogram. Each set of labels has its own buckets. */
export function histogram(
  name: string,
  help: string,
  series: readonly { labels: Sample['labels']; ranges: Ranges }[],
): Family {
  const full = `authsvc_${name}`;
  const values = series.flatMap(({ labels, ranges: { below, count, sum } }): Sample[] => [
    ...below.map(([bound, value]) => ({ value, labels: { le: bound, ...labels }, metricName: `${full}_bucket` })),
    { value: count, labels: { le: '+Inf', ...labels }, metricName: `${full}_bucket` },
    { value: sum, labels, metricName: `${full}_sum` },
    { value: count, labels, metricName: `${full}_count` },
  ]);
  return { name: full, help, type: 'histogram', values, aggregator: 'sum' };
}
