import type { ApplicationReply } from '../../console-schemas.ts';
import { type Chart, drawChart } from '../draw-chart.ts';

/** What the template needs. */
export interface ConsoleApplicationPage {
  application: ApplicationReply['application'];
  /** Those who may use it, besides superadmins. */
  usersHref: string;
  auditHref: string;
  csrfToken: string;
  /** The sign-ins of 30 days. */
  chart: Chart;
}

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
  const roles = application.roles.map((role) => `&role=${encodeURIComponent(role)}`).join('');
  return {
    application,
    csrfToken,
    chart: drawChart(signIns),
    usersHref: `/authsvc/admin/users?app=${key}&is_active=true${roles}`,
    auditHref: `/authsvc/admin/audit?application=${key}`,
  };
}
