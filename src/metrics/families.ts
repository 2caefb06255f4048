/** How the values of several processes become one. */
type Aggregator = 'sum' | 'first' | 'min' | 'max' | 'average';

interface Sample {
  value: number;
  labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: the name with what it is the sample of. */
  metricName?: string;
}

/** A metric with all its series, in the form of prom-client. */
export interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  values: Sample[];
  aggregator: Aggregator;
}

/** Makes a counter, whose processes are summed. */
export const counter = (name: string, help: string, values: Sample[]): Family => ({
  name: `authsvc_${name}`,
  help,
  type: 'counter',
  values,
  aggregator: 'sum',
});

/** Makes a gauge of one value without labels. */
export const gauge = (name: string, help: string, value: number, aggregator: Aggregator = 'sum'): Family => ({
  name: `authsvc_${name}`,
  help,
  type: 'gauge',
  values: [{ value, labels: {} }],
  aggregator,
});

/** Makes the samples of counts by one label. */
export const byLabel = (label: string, counts: readonly (readonly [string, number])[]): Sample[] =>
  counts.map(([name, value]) => ({ value, labels: { [label]: name } }));

/** One millisecond to ten seconds, in seconds. */
export const TIME_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Ranges {
  below: [bound: number, count: number][];
  count: number;
  sum: number;
}

/** Makes a histogram; each set of labels has ranges of its own. */
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
