const schemes: Record<string, 'http' | 'https'> = { http: 'http', https: 'https', ws: 'http', wss: 'https' };

/**
 * Returns the scheme of a browser's request from the name that a proxy reports. Some proxies report `ws` or `wss`
 * for the handshake of a WebSocket, which uses http or https (RFC 6455 §3).
 *
 * @param name one entry of X-Forwarded-Proto, in upper or lower case
 * @returns undefined for any other name
 */
export const schemeOf = (name: string): 'http' | 'https' | undefined => schemes[name.trim().toLowerCase()];
