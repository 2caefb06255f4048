interface Proxies {
  /** URLs of proxies, including their credentials. */
  HTTPS_PROXY: string | undefined;
  HTTP_PROXY: string | undefined;
  /** Hosts that are contacted directly, separated by commas. */
  NO_PROXY: string | undefined;
}

/**
 * Sends every later `fetch` of this process through the proxies, including those of libraries.
 *
 * Node.js 20 has no setting for this. The library is loaded only if a proxy is set. The proxy resolves host names
 * itself, so this process cannot check which IP address a request goes to.
 */
export async function useProxies({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: Proxies): Promise<void> {
  if (HTTPS_PROXY === undefined && HTTP_PROXY === undefined) return;
  const { default: undici } = await import('undici');
  // Passes an empty text in place of undefined, because for undefined the library would read the environment
  // itself.
  const agent = new undici.EnvHttpProxyAgent({
    httpsProxy: HTTPS_PROXY ?? '',
    httpProxy: HTTP_PROXY ?? '',
    noProxy: NO_PROXY ?? '',
  });
  undici.setGlobalDispatcher(agent);
}
