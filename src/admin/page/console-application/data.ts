import type { ApplicationReply } from '../../console-schemas.ts';
import { type Chart, drawChart } from '../draw-chart.ts';

/** The data of the page, for its template. */
export interface ConsoleApplicationPage {
  application: ApplicationReply['application'];
  /**
   * Link to the list of active users who have the application's key and one of its roles. All superadmins may use the
   * application too.
   */
  usersHref: string;
  auditHref: string;
  csrfToken: string;
  /** Sign-ins to the application on each of the last 30 days. */
  chart: Chart;
}

interface ApplicationFacts {
  application: ApplicationReply['application'];
  csrfToken: string;
  signIns: { date: string; count: number }[];
}

/** Returns the data of the page of one application. */
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
