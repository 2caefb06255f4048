import { definePage } from '../../../ui/define-page.ts';
import type { ApplicationReply } from '../../console-schemas.ts';
import { type Chart, drawChart } from '../draw-chart.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface ConsoleApplicationPage {
  application: ApplicationReply['application'];
  usersHref: string;
  auditHref: string;
  csrfToken: string;
  /** The sign-ins of 30 days. */
  chart: Chart;
}

export const consoleApplicationPage = definePage({
  name: 'console-application',
  texts: { en, de },
  script: { ids: [], showsRefusals: true },
  samples,
});

interface ApplicationFacts {
  application: ApplicationReply['application'];
  csrfToken: string;
  signIns: { date: string; count: number }[];
}

/** What the page of one application shows. */
export function consoleApplicationPageData({
  application,
  csrfToken,
  signIns,
}: ApplicationFacts): ConsoleApplicationPage {
  const key = encodeURIComponent(application.key);
  return {
    application,
    csrfToken,
    chart: drawChart(signIns),
    usersHref: `/authsvc/admin/users?app=${key}`,
    auditHref: `/authsvc/admin/audit?application=${key}`,
  };
}
