import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Settings } from '../settings/table.ts';

const YEAR_SECONDS = 31_536_000;

/**
 * The headers that every answer carries, pages and errors and files alike: nothing inline runs, no other host is
 * asked but for pictures, no other site frames a page. They never change while the process runs, so they are asked
 * of helmet once.
 *
 * Source  CSP Level 3; RFC 6797; ASVS 5.0 3.4
 */
export function securityHeaders({ IS_DEPLOYED }: Pick<Settings, 'IS_DEPLOYED'>): Record<string, string> {
  const secure = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'https:', 'data:'],
        connectSrc: ["'self'"],
        fontSrc: ["'self'"],
        objectSrc: ["'none'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: IS_DEPLOYED ? { maxAge: YEAR_SECONDS, includeSubDomains: true } : false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    crossOriginResourcePolicy: { policy: 'same-site' },
    originAgentCluster: false,
  });
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  secure(request, response, () => undefined);
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]));
}
