import { errorCategories, errorNames, errorRegistry } from '../errors/registry.ts';
import type { PageData } from '../ui/render.ts';
import type { ServiceInfo } from './wire.ts';

/** Every entry of the error registry, by category. */
export function errorListPage(): PageData['error-list'] {
  return {
    categories: errorCategories.map(({ name, from, to }) => ({
      name,
      range: `${from}–${to}`,
      entries: errorNames
        .map((entry) => ({ name: entry, ...errorRegistry[entry] }))
        .filter(({ number }) => number >= from && number <= to)
        .sort((a, b) => a.number - b.number),
    })),
  };
}

/** What the service tells of itself, for people. */
export function infoPage(info: ServiceInfo): PageData['info'] {
  return {
    latestVersion: info.latest_version ?? undefined,
    updateAvailable: info.update_available,
    settings: Object.entries(info.config).map(([key, value]) => ({ key, value: value ?? undefined })),
  };
}
