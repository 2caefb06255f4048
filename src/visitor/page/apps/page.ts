import type { Settings } from '../../../settings/table.ts';
import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** An application that the person may use. */
export interface ShownApp {
  name: string;
  url: string;
  host: string;
  /** An https URL, or an http URL if the service is not deployed. The page shows no icons from other URLs. */
  icon: string | undefined;
}

/** The data of the page, for its template. */
export interface AppsPage {
  apps: ShownApp[];
}

export const appsPage = definePage({ name: 'apps', texts: { en, de }, samples });

/** Creates the data of the page that lists the person's applications. */
export const appsPageData = (
  apps: readonly { name: string; url: string; icon: string | null }[],
  { IS_DEPLOYED }: Pick<Settings, 'IS_DEPLOYED'>,
): AppsPage => ({
  apps: apps.map(({ name, url, icon }) => ({
    name,
    url,
    host: new URL(url).host,
    icon: icon !== null && (IS_DEPLOYED ? /^https:/i : /^https?:/i).test(icon) ? icon : undefined,
  })),
});
