import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.ts';
import { clientAddress } from '../http/client-address.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { schemeOf } from '../http/scheme.ts';
import { openCode, sealArrival } from './probe.ts';
import { probeParams, probeReply } from './schemas.ts';

const headerOf = ({ headers }: FastifyRequest, name: string): string | null => headers[name]?.toString() ?? null;

async function answerProbe(call: Call<unknown, unknown, { code: string }>) {
  const { request, services, params } = call;
  const id = openCode(services.sealer, params.code, services.clock.now());
  if (id === undefined) throw new AppError('NOT_FOUND');
  const { remoteAddress = '' } = request.socket;
  const arrival = {
    protocol: schemeOf(request.protocol) ?? request.protocol,
    host: request.host,
    address: clientAddress(request),
    peer: clientAddress({ ip: remoteAddress, socket: request.socket }),
    isTrusted: services.isTrustedProxy(remoteAddress),
    forwardedFor: headerOf(request, 'x-forwarded-for'),
    forwardedProto: headerOf(request, 'x-forwarded-proto'),
    forwardedHost: headerOf(request, 'x-forwarded-host'),
  };
  return { success: true as const, arrival: sealArrival(services.sealer, id, arrival) };
}

/** The route that the command `doctor` calls. */
export const doctorRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/authsvc/api/probe/:code',
    operationId: 'answerProbe',
    summary:
      'Return how the service received a request from `authsvc doctor`; the doctor creates and encrypts the code',
    kind: 'json',
    takesPlainHttp: true,
    params: probeParams,
    replies: { 200: probeReply },
    errors: ['NOT_FOUND'],
    handle: answerProbe,
  }),
];
