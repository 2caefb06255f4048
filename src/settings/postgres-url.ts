const SHAPE = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([/?].*)?$/;

/**
 * One URL for each server that a PostgreSQL URL names, in its order.
 *
 * Gives   undefined when the text is no such URL. A server without a port has PostgreSQL's own.
 * Source  PostgreSQL, libpq, Connection URIs and Specifying Multiple Hosts
 */
export function postgresServers(text: string): string[] | undefined {
  const [, scheme, hosts, rest = ''] = SHAPE.exec(text) ?? [];
  if (scheme === undefined || hosts === undefined) return undefined;
  const urls = hosts.split(',').map((host) => `${scheme}${host}${rest}`);
  const areFine = urls.every((url) => URL.canParse(url) && (urls.length === 1 || new URL(url).hostname !== ''));
  return areFine ? urls : undefined;
}
