import { createHash } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Settings } from '../settings/table.ts';

const YEAR_SECONDS = 31_536_000;

/**
 * Returns the headers of every answer: pages, errors and files. They forbid inline scripts and styles, all content
 * from other hosts except pictures, and embedding in a frame of another site. Call it once, because the headers
 * never change while the process runs.
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
        imgSrc: ["'self'", 'https:', ...(IS_DEPLOYED ? [] : ['http:']), 'data:'],
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

/** Returns the headers of a page with an inline style sheet. They allow only this style sheet and no external one. */
export function inlineStyleHeaders(settings: Pick<Settings, 'IS_DEPLOYED'>, style: string): Record<string, string> {
  const { 'content-security-policy': policy = '' } = securityHeaders(settings);
  const digest = createHash('sha256').update(style).digest('base64');
  return { 'content-security-policy': policy.replace("style-src 'self'", `style-src 'sha256-${digest}'`) };
}

/**
 * Returns the CSP source that allows `form-action` to reach a URL. A URL with an application's own scheme has no
 * origin, so its scheme is used.
 */
const sourceOf = ({ origin, protocol }: URL): string => (origin === 'null' ? protocol : origin);

/**
 * Returns the headers of a page whose form redirects to another origin. Browsers apply `form-action` also to the
 * redirect after a form, so the target is added. The referrer policy is relaxed, because a page without a referrer
 * sends `Origin: null`, which the cross-site check refuses.
 *
 * @param target where the form redirects to: a path on this host, or an absolute URL
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
