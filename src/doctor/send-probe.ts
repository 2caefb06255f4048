import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { randomHex } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';
import { type Arrival, openArrival, sealCode } from './probe.ts';

const TIME_LIMIT_MS = 4000;
const MAX_BYTES = 64 * 1024;

/** The reply to a probe, whichever server sent it. */
export interface ProbeAnswer {
  status: number;
  /** The target if the reply is a redirect. */
  location: string | undefined;
  /** The time in the `Date` header of the reply, in milliseconds since the epoch. */
  date: number | undefined;
  /** The address of this machine on the connection. */
  ownAddress: string;
  /** How the request arrived at the service; undefined if another server answered. */
  arrival: Arrival | undefined;
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += chunk;
    if (text.length > MAX_BYTES) break;
  }
  return text;
}

function arrivalIn(text: string): string {
  try {
    const { arrival }: Record<string, unknown> = Object(JSON.parse(text));
    return typeof arrival === 'string' ? arrival : '';
  } catch {
    return '';
  }
}

function send(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(url, { headers: { accept: 'application/json', ...headers }, agent: false, signal }, resolve)
      .once('error', reject)
      .end();
  });
}

/**
 * Sends a request, and returns the response and its text. After the time limit, throws a TimeoutError instead of the error of
 * the aborted connection.
 */
async function ask(url: URL, headers: Record<string, string>) {
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  try {
    const response = await send(url, headers, signal);
    const { localAddress = '' } = response.socket;
    return { response, ownAddress: localAddress, text: await readText(response) };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/**
 * Asks the service at its public address how a request arrives there. Follows no redirect. Ignores the proxy settings of
 * this machine, because browsers do not use them.
 *
 * @param headers headers that the request sends, such as a forged address
 * @throws the error of the connection; a TimeoutError after four seconds
 */
export async function sendProbe(
  { baseUrl, sealer, now }: { baseUrl: string; sealer: Sealer; now: number },
  headers: Record<string, string> = {},
): Promise<ProbeAnswer> {
  const id = randomHex(16);
  const url = new URL(`${baseUrl}/authsvc/api/probe/${sealCode(sealer, id, now)}`);
  const { response, ownAddress, text } = await ask(url, headers);
  const date = Date.parse(response.headers.date ?? '');
  return {
    status: response.statusCode ?? 0,
    location: response.headers.location,
    date: Number.isNaN(date) ? undefined : date,
    ownAddress,
    arrival: openArrival(sealer, id, arrivalIn(text)),
  };
}
