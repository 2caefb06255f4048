import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** An application that the person may use. */
export interface ShownApp {
  name: string;
  url: string;
  host: string;
  /** An https address; the page shows no other. */
  icon: string | undefined;
}

/** What the template needs. */
export interface AppsPage {
  apps: ShownApp[];
}

export const appsPage = definePage({ name: 'apps', texts: { en, de }, samples });

/** The data of the page of applications. */
export const appsPageData = (apps: readonly { name: string; url: string; icon: string | null }[]): AppsPage => ({
  apps: apps.map(({ name, url, icon }) => ({
    name,
    url,
    host: new URL(url).host,
    icon: icon !== null && /^https:/i.test(icon) ? icon : undefined,
  })),
});
