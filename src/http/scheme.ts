const schemes: Record<string, 'http' | 'https'> = { http: 'http', https: 'https', ws: 'http', wss: 'https' };

/**
 * The scheme of a browser's request, from the name that a proxy gives it. Some proxies write `ws` and `wss` for the
 * handshake of a WebSocket, which travels over http and https (RFC 6455 §3).
 *
 * @param name one entry of X-Forwarded-Proto, in any case
 * @returns undefined for any other name
 */
export const schemeOf = (name: string): 'http' | 'https' | undefined => schemes[name.trim().toLowerCase()];
