import { ClientError } from './client-error.ts';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

/**
 * Returns the address at which a person approves, as text that is safe to print and to open.
 *
 * A server that sends people elsewhere could have them approve a request at another service or type a password into
 * another site. So the host must be the one that was asked, and https must stay https. Loopback hosts count as one.
 *
 * @param text what the server sent
 * @param server address that the program asked
 * @throws ClientError `unexpected`
 */
export function verificationUrl(text: string, server: string): string {
  const asked = new URL(server);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new ClientError('unexpected', `${asked.origin} sent no web address for the approval.`);
  }
  const isSameHost = url.hostname === asked.hostname || (isLoopback(url) && isLoopback(asked));
  if (!isSameHost || (asked.protocol === 'https:' && url.protocol !== 'https:')) {
    const advice = `If ${url.origin} is the service, use its address; otherwise do not trust ${asked.origin}.`;
    throw new ClientError('unexpected', `${asked.origin} sends people to ${url.origin} for the approval. ${advice}`);
  }
  return url.href;
}
