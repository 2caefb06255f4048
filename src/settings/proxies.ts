import { refuseComplaints } from './complaints.ts';
import { createReader, type Sources } from './reader.ts';
import { type Settings, settingsTable } from './table.ts';

/** The settings for the proxies of outgoing requests. */
export type ProxySettings = Pick<Settings, 'HTTPS_PROXY' | 'HTTP_PROXY' | 'NO_PROXY'>;

/**
 * Reads only the proxy settings, for commands that use no other setting of the service.
 *
 * @throws SettingsError that lists the invalid keys
 */
export function readProxies(sources: Sources = {}): ProxySettings {
  const reader = createReader(sources);
  const { HTTPS_PROXY, HTTP_PROXY, NO_PROXY } = settingsTable;
  const proxies = {
    HTTPS_PROXY: reader.read('HTTPS_PROXY', HTTPS_PROXY),
    HTTP_PROXY: reader.read('HTTP_PROXY', HTTP_PROXY),
    NO_PROXY: reader.read('NO_PROXY', NO_PROXY),
  };
  refuseComplaints(reader);
  return proxies;
}
