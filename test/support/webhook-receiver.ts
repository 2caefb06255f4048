import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

/** A request that a receiver got. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** How many requests the receiver was answering at that moment, including this one. */
  atOnce: number;
  /** The parsed body. */
  message: { type: string; timestamp: string; data: Record<string, unknown> };
}

export interface WebhookReceiver {
  url: string;
  port: number;
  got: Received[];
  /** Answers a request. The default answer has status 200. */
  answer: (request: Received, response: ServerResponse) => void;
  close(): Promise<void>;
}

/** Starts a server that receives the messages of a webhook. */
export async function startReceiver(): Promise<WebhookReceiver> {
  let atOnce = 0;
  const server = createServer(async (request, response) => {
    atOnce += 1;
    response.on('close', () => {
      atOnce -= 1;
    });
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    const received = { method, path: url, headers, body, atOnce, message: JSON.parse(body) };
    receiver.got.push(received);
    receiver.answer(received, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook?k=1`,
    port,
    got: [],
    answer: (_request, response) => void response.writeHead(200).end(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return receiver;
}

/** Computes the signature of a request with a secret. */
export function signatureBy(secret: string, { headers, body }: Received): string {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
