import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.ts';
import type { Services } from './route.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses a browser's request that another site, or a sibling host of this one, made and that would change something.
 *
 * Throws  AppError CROSS_SITE_REQUEST.
 * Why     SameSite cookies do not keep sibling hosts out, and some routes take no CSRF token. A program sends neither
 *         header and is let through: it has nobody's cookies but its own.
 *         Deployed, BASE_URL is the only origin; else the address that the browser used counts as well, since a
 *         developer opens localhost and 127.0.0.1 alike.
 * Source  Fetch Metadata Request Headers; RFC 6454 §7; ASVS 5.0 3.5.1
 */
export function refuseCrossSite(
  request: FastifyRequest,
  { baseUrl, settings }: Pick<Services, 'baseUrl' | 'settings'>,
): void {
  if (SAFE_METHODS.includes(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  const isOwnOrigin =
    origin === undefined ||
    origin === new URL(baseUrl()).origin ||
    (!settings.IS_DEPLOYED && origin === `${request.protocol}://${request.host}`);
  if (!isOwnSite || !isOwnOrigin) throw new AppError('CROSS_SITE_REQUEST');
}
