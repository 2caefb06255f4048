import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { TestContext } from 'vitest';
import { vi } from 'vitest';

interface StreamEvent {
  event: string;
  data: unknown;
}

/** A stream of server-sent events, as a client reads it. */
export interface EventStreamClient {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  events: StreamEvent[];
  /** Returns how many comments have arrived. */
  comments(): number;
  hasEnded(): boolean;
  /** Waits for an event with this name whose data contains this text. */
  waitFor(event: string, data?: string): Promise<StreamEvent>;
}

const field = (block: string, name: string): string =>
  block
    .split('\n')
    .filter((line) => line.startsWith(`${name}: `))
    .map((line) => line.slice(name.length + 2))
    .join('\n');

/** Opens a stream at a service in this process, until the test ends. */
export function openEvents(
  t: Pick<TestContext, 'onTestFinished'>,
  { port, path, headers }: { port: number; path: string; headers: Record<string, string> },
): Promise<EventStreamClient> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, headers, agent: false });
    t.onTestFinished(() => void request.destroy());
    request.on('error', reject);
    request.on('response', (reply) => {
      const events: StreamEvent[] = [];
      let [rest, comments, hasEnded] = ['', 0, false];
      reply.setEncoding('utf8').on('data', (text: string) => {
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          if (block.startsWith(':')) comments += 1;
          else events.push({ event: field(block, 'event'), data: JSON.parse(field(block, 'data') || '{}') });
        }
      });
      reply
        .on('error', () => undefined)
        .on('close', () => {
          hasEnded = true;
        });
      const matches = (name: string, part: string) => (one: StreamEvent) =>
        one.event === name && JSON.stringify(one.data).includes(part);
      resolve({
        status: reply.statusCode,
        headers: reply.headers,
        events,
        comments: () => comments,
        hasEnded: () => hasEnded,
        waitFor: (event, data = '') =>
          vi.waitUntil(() => events.find(matches(event, data)), { timeout: 5000, interval: 5 }),
      });
    });
    request.end();
  });
}
