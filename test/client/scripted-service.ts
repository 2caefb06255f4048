import type { IncomingMessage, ServerResponse } from 'node:http';
import { vi } from 'vitest';
import { type Owner, serve } from '../support/serve.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Creates the reply with a visitor, as the service sends it. */
export const visitorAnswer = (username: string, ref = `ref of ${username}`, expiresAt: string | null = null) => ({
  visitor: {
    user_id: username.length,
    username,
    full_name: username,
    role: 'normaluser',
    allowed_apps: ['portal'],
    image: '',
    expires_at: expiresAt,
    via: 'session',
    scope: null,
  },
  may_use: true,
  ref,
  expires_at: expiresAt,
});

/** Starts a service whose every reply and event the test decides. It can behave like a broken or slow service. */
export async function scriptedService(t: Owner) {
  const asked: string[] = [];
  const streams = new Set<ServerResponse>();
  let opened = 0;
  let isStreaming = true;
  let answer: Answer = (_request, response, body) => {
    const [, cookie = ''] = /session_id=(\w+)/.exec(body) ?? [];
    response.end(JSON.stringify(visitorAnswer(cookie)));
  };
  const url = await serve(t, (request, response) => {
    if (request.url === '/authsvc/api/apps/changes') {
      opened += 1;
      if (!isStreaming) return void response.writeHead(503).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: hello\ndata: {}\n\n');
      streams.add(response);
      return void response.on('close', () => streams.delete(response));
    }
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      asked.push(body);
      response.setHeader('content-type', 'application/json');
      answer(request, response, body);
    });
  });
  const say = (text: string) => {
    for (const stream of streams) stream.write(text);
  };
  const beat = setInterval(() => say(':\n\n'), 200);
  t.onTestFinished(async () => clearInterval(beat));
  return {
    url,
    /** The bodies of the requests so far. */
    asked,
    openings: () => opened,
    /** Returns how many streams are open. */
    streams: () => streams.size,
    answerBy: (next: Answer) => {
      answer = next;
    },
    tell: (event: string, data: object) => say(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    say,
    /** Opens or closes the service for streams. When closed, it ends the open streams and refuses new ones. */
    setStreaming: (on: boolean) => {
      isStreaming = on;
      if (!on) for (const stream of streams) stream.end();
    },
    /** Stops the heartbeats of all streams, as in a network that drops every packet. */
    silence: () => clearInterval(beat),
    untilStreaming: () => vi.waitUntil(() => streams.size > 0, { timeout: 5000, interval: 5 }),
  };
}
