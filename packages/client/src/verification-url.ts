import { ClientError } from './client-error.ts';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

/**
 * Returns the URL of the page where a person approves a login, as text that is safe to print and to open.
 *
 * A hostile server could send people to another site, to approve a request or type a password there. So the URL must have
 * the same host as `server`, and must use https if `server` does. All loopback hosts count as the same host.
 *
 * @param text the `verification_url` that the server sent
 * @param server address of the service that the program uses
 * @throws ClientError `unexpected` if the URL breaks one of these rules
 */
export function verificationUrl(text: string, server: string): string {
  const asked = new URL(server);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new ClientError('unexpected', `${asked.origin} sent no web address for the approval page.`);
  }
  const isSameHost = url.hostname === asked.hostname || (isLoopback(url) && isLoopback(asked));
  if (!isSameHost || (asked.protocol === 'https:' && url.protocol !== 'https:')) {
    const advice = `If ${url.origin} is the address of authsvc, use that address. Otherwise, do not trust ${asked.origin}.`;
    throw new ClientError('unexpected', `${asked.origin} sends people to ${url.origin} for the approval. ${advice}`);
  }
  return url.href;
}
