import { request } from 'node:http';

/** One time series in the text of /metrics. */
interface Series {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Scrape {
  status: number;
  type: string;
  text: string;
  series: Series[];
  /** Returns the sum of a metric's series that have these labels. */
  sum(name: string, labels?: Record<string, string>): number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

function parseLine(line: string): Series {
  const [, name, labels = '', value] = LINE.exec(line) ?? [];
  if (name === undefined) throw new Error(`not a line of metrics: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}

/** Reads the metrics at a port. */
export function scrape(port: number, { path = '/metrics', accept = '*/*', method = 'GET' } = {}): Promise<Scrape> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers: { accept } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        const isText = response.statusCode === 200 && path === '/metrics';
        const lines = isText ? text.split('\n').filter((line) => line !== '' && !line.startsWith('#')) : [];
        const series = lines.map(parseLine);
        const sum: Scrape['sum'] = (name, wanted = {}) =>
          series
            .filter((one) => one.name === `authsvc_${name}`)
            .filter(({ labels }) => Object.entries(wanted).every(([key, value]) => labels[key] === value))
            .reduce((total, { value }) => total + value, 0);
        resolve({
          status: response.statusCode ?? 0,
          type: String(response.headers['content-type']),
          text,
          series,
          sum,
        });
      });
    });
    asked.on('error', reject).end();
  });
}
