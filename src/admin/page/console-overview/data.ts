import type { OverviewReply } from '../../console-schemas.ts';
import { type Chart, drawChart } from '../draw-chart.ts';

/** The data of the page, for its template. */
export interface ConsoleOverviewPage extends Omit<OverviewReply, 'success' | 'attention' | 'sign_ins' | 'version'> {
  attention: { kind: string; count: number; href: string | undefined }[];
  chart: Chart;
}

/** Returns the link to the list in which a superadmin can see a problem, or undefined if there is no such list. */
function addressOf(kind: string, generatedAt: string): string | undefined {
  const day = new Date(Date.parse(generatedAt) + 7 * 86_400_000).toISOString();
  const addresses: Record<string, string> = {
    superadmin_without_second_factor: '/authsvc/admin/users?role=superadmin&is_active=true&second_factor=false',
    webhook_failing: '/authsvc/admin/webhooks?is_active=true&is_failing=true',
    token_expiring: `/authsvc/admin/tokens?expires_before=${encodeURIComponent(day)}`,
  };
  return addresses[kind];
}

/** Returns the data of the overview page. */
export const consoleOverviewPageData = ({
  success: _success,
  version: _version,
  attention,
  sign_ins,
  ...rest
}: OverviewReply): ConsoleOverviewPage => ({
  ...rest,
  attention: attention.map(({ kind, count }) => ({ kind, count, href: addressOf(kind, rest.generated_at) })),
  chart: drawChart(sign_ins),
});
