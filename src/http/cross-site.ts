import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.ts';
import type { Services } from './route.ts';
import { schemeOf } from './scheme.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Returns whether the headers show that a request comes from a page of this service.
 *
 * A program sends neither Origin nor Sec-Fetch-Site and is accepted, because it sends no cookies of a visitor. In
 * production, BASE_URL is the only accepted origin. Elsewhere the host of the request is accepted too, because
 * developers open both localhost and 127.0.0.1. A page without a referrer sends `Origin: null`. Then Sec-Fetch-Site
 * decides, which no page can set.
 */
function isOwn(request: FastifyRequest, { baseUrl, settings }: Pick<Services, 'baseUrl' | 'settings'>): boolean {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined || origin === new URL(baseUrl()).origin) return true;
  if (origin === 'null') return site === 'same-origin';
  return !settings.IS_DEPLOYED && origin === `${schemeOf(request.protocol)}://${request.host}`;
}

/**
 * Refuses a browser's request from another site or a sibling host if it could change something. SameSite cookies do
 * not stop sibling hosts, and some routes require no CSRF token.
 *
 * @throws AppError CROSS_SITE_REQUEST
 * @see Fetch Metadata Request Headers; RFC 6454 §7; ASVS 5.0 3.5.1
 */
export function refuseCrossSite(request: FastifyRequest, services: Pick<Services, 'baseUrl' | 'settings'>): void {
  if (!SAFE_METHODS.includes(request.method) && !isOwn(request, services)) throw new AppError('CROSS_SITE_REQUEST');
}
