import { createHash } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Settings } from '../settings/table.ts';

const YEAR_SECONDS = 31_536_000;

/**
 * The headers that every answer carries, pages and errors and files alike: nothing inline runs, only pictures load from
 * other hosts, no other site frames a page. They never change while the process runs, so helmet creates them once.
 *
 * @see CSP Level 3; RFC 6797; ASVS 5.0 3.4
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

/** The headers of a page with a style sheet in itself: only that one counts, and none is loaded. */
export function inlineStyleHeaders(settings: Pick<Settings, 'IS_DEPLOYED'>, style: string): Record<string, string> {
  const { 'content-security-policy': policy = '' } = securityHeaders(settings);
  const digest = createHash('sha256').update(style).digest('base64');
  return { 'content-security-policy': policy.replace("style-src 'self'", `style-src 'sha256-${digest}'`) };
}

/** A URI with a scheme of an application's own has no origin. */
const sourceOf = ({ origin, protocol }: URL): string => (origin === 'null' ? protocol : origin);

/**
 * The headers of a page whose form redirects to another origin. Browsers apply `form-action` to the redirect after a
 * form too, and a page without a referrer sends `Origin: null`, which the cross-site check refuses.
 *
 * @param target where the form redirects to: a path on this host, or a URL that starts with the origin
 * @see CSP Level 3 §6.4.1; Fetch, append a request `Origin` header
 */
export function formHeaders(settings: Pick<Settings, 'IS_DEPLOYED'>, target: string) {
  const { 'content-security-policy': policy = '' } = securityHeaders(settings);
  const source = target.startsWith('/') ? '' : ` ${sourceOf(new URL(target))}`;
  return {
    'content-security-policy': policy.replace("form-action 'self'", `form-action 'self'${source}`),
    'referrer-policy': 'same-origin',
  };
}
