interface Proxies {
  /** Addresses of proxies, with their credentials. */
  HTTPS_PROXY: string | undefined;
  HTTP_PROXY: string | undefined;
  /** Hosts to which requests go directly, separated by commas. */
  NO_PROXY: string | undefined;
}

/**
 * Sends every `fetch` of this process through the proxies from now on, those of libraries too.
 *
 * Node.js 20 knows no setting for this. The library is loaded only where a proxy is set. The proxy looks host names up, so
 * a check of the address that a name has, made here, says nothing about where the request goes.
 */
export async function useProxies({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: Proxies): Promise<void> {
  if (HTTPS_PROXY === undefined && HTTP_PROXY === undefined) return;
  const { default: undici } = await import('undici');
  // An empty text, not undefined: else the library would look into the environment itself.
  const agent = new undici.EnvHttpProxyAgent({
    httpsProxy: HTTPS_PROXY ?? '',
    httpProxy: HTTP_PROXY ?? '',
    noProxy: NO_PROXY ?? '',
  });
  undici.setGlobalDispatcher(agent);
}
