import { parseAddress } from '../http/parse-address.ts';
import { createIsTrusted } from '../http/trusted-proxies.ts';
import type { Settings } from '../settings/table.ts';
import { type Finding, failure, fine, warning } from './finding.ts';
import type { Arrival } from './probe.ts';
import type { ProbeAnswer } from './send-probe.ts';

/** An address that no client has, because it is reserved for documentation (RFC 5737). */
export const FORGED_ADDRESS = '192.0.2.77';

interface Problem {
  message: string;
  hint: string;
}

interface Parts {
  settings: Pick<Settings, 'TRUST_PROXY'>;
  baseUrl: string;
  /** The reply to a probe without forged headers. */
  plain: ProbeAnswer;
  /** The reply to a probe that claimed to come from FORGED_ADDRESS; undefined if no reply came. */
  forged: ProbeAnswer | undefined;
}

const trustHint = (address: string): string =>
  `Add ${address}, the address of the proxy, to TRUST_PROXY of the service, and restart it.`;

/** Returns the address that the first proxy saw. It is the first entry, because doctor sent no such header itself. */
function firstHop({ forwardedFor }: Arrival): string | undefined {
  return parseAddress(forwardedFor?.split(',')[0] ?? '');
}

function findAddressProblem(arrival: Arrival): Problem[] {
  const first = firstHop(arrival);
  if (first === undefined || (arrival.isTrusted && first === arrival.address)) return [];
  const message = `A proxy sends X-Forwarded-For, but TRUST_PROXY does not name it, so the service takes ${arrival.address}, the address of the proxy, for the address of every client.`;
  return [{ message, hint: trustHint(arrival.address) }];
}

/** Returns the advice if the proxy sends a wrong header or none, or if the service does not trust the proxy. */
function headerHint({ isTrusted, peer }: Arrival, sent: string | null, remedy: string): string {
  const trust = isTrusted ? [] : [trustHint(peer)];
  return [...(sent === null ? [remedy] : []), ...trust].join(' ') || remedy;
}

function findProtocolProblem(arrival: Arrival, { protocol }: URL): Problem[] {
  const expected = protocol.slice(0, -1);
  if (arrival.protocol === expected) return [];
  const message = `The proxy loses the protocol: doctor sent the request by ${expected}, but it arrived as ${arrival.protocol}.`;
  const remedy =
    'Let the proxy send X-Forwarded-Proto with the protocol of the browser (nginx: proxy_set_header X-Forwarded-Proto $scheme;).';
  return [{ message, hint: headerHint(arrival, arrival.forwardedProto, remedy) }];
}

/** Returns a host without its port if that is the default port of the protocol. */
const hostOf = (host: string, protocol: string): string =>
  URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : host;

function findHostProblem(arrival: Arrival, { protocol, host }: URL): Problem[] {
  if (hostOf(arrival.host, protocol) === host) return [];
  const message = `The proxy loses the host: doctor sent the request to ${host}, but it arrived for ${arrival.host}.`;
  const remedy =
    'Let the proxy pass the header Host on unchanged (nginx: proxy_set_header Host $http_host;), or send X-Forwarded-Host.';
  return [{ message, hint: headerHint(arrival, arrival.forwardedHost, remedy) }];
}

/** Checks whether clients can forge their address. Only proxies that TRUST_PROXY names may set it. */
function findTrustProblem({ settings, plain, forged }: Parts): Problem[] {
  const { TRUST_PROXY: proxies } = settings;
  if (proxies === true)
    return [
      {
        message: 'With TRUST_PROXY=true, every client can claim another address with X-Forwarded-For.',
        hint: 'Set TRUST_PROXY to the addresses of the proxies.',
      },
    ];
  const own = plain.arrival?.forwardedFor ? plain.arrival.address : plain.ownAddress;
  if (forged?.arrival?.address !== FORGED_ADDRESS || createIsTrusted(proxies)(own)) return [];
  return [
    {
      message: `The service accepts an X-Forwarded-For that doctor forged, although TRUST_PROXY does not name ${own}.`,
      hint: 'Let the proxy replace X-Forwarded-For or add to it (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;), and let clients reach the service only through the proxy. Otherwise remove the proxy from TRUST_PROXY.',
    },
  ];
}

function combine(problems: readonly Problem[], toFinding: typeof failure): Finding {
  const hints = [...new Set(problems.map(({ hint }) => hint))];
  return toFinding(problems.map(({ message }) => message).join(' '), hints.join(' '));
}

/** Compares how a request was sent with how it arrived at the service. */
export function checkProxy(parts: Parts): Finding {
  const { baseUrl, plain } = parts;
  const { arrival } = plain;
  if (!arrival) return failure('The service did not report how the request arrived.', 'Run doctor again.');
  const sent = new URL(baseUrl);
  const problems = [
    ...findAddressProblem(arrival),
    ...findProtocolProblem(arrival, sent),
    ...findHostProblem(arrival, sent),
  ];
  if (problems.length > 0) return combine(problems, failure);
  const doubts = findTrustProblem(parts);
  if (doubts.length > 0) return combine(doubts, warning);
  return fine(`Requests arrive as they were sent, from ${arrival.address}.`);
}
