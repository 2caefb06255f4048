import { definePage } from '../../../ui/define-page.ts';
import type { OverviewReply } from '../../console-schemas.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

const WIDTH = 600;
const HEIGHT = 120;
/** Of a day's width, what its bar leaves free. */
const GAP = 4;

/** A bar of the chart, in the units of its drawing. */
interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
  date: string;
  count: number;
}

/** What the template needs. */
export interface ConsoleOverviewPage extends Omit<OverviewReply, 'success' | 'attention' | 'sign_ins' | 'version'> {
  attention: { kind: string; count: number; href: string | undefined }[];
  chart: { width: number; height: number; bars: Bar[]; total: number; most: { date: string; count: number } };
}

export const consoleOverviewPage = definePage({ name: 'console-overview', texts: { en, de }, samples });

/** Draws a bar for each day; a day with any sign-in shows. */
function drawChart(days: OverviewReply['sign_ins']): ConsoleOverviewPage['chart'] {
  const most = days.reduce((best, day) => (day.count > best.count ? day : best), { date: '', count: 0 });
  const step = WIDTH / Math.max(1, days.length);
  const bars = days.map(({ date, count }, at) => {
    const height = count === 0 ? 0 : Math.max(2, Math.round((count / most.count) * HEIGHT));
    return {
      x: Math.round(at * step) + GAP / 2,
      y: HEIGHT - height,
      width: Math.round(step) - GAP,
      height,
      date,
      count,
    };
  });
  return { width: WIDTH, height: HEIGHT, bars, total: days.reduce((sum, { count }) => sum + count, 0), most };
}

/** Where a superadmin sees what needs attention. */
function addressOf(kind: string, generatedAt: string): string | undefined {
  const day = new Date(Date.parse(generatedAt) + 7 * 86_400_000).toISOString();
  const addresses: Record<string, string> = {
    superadmin_without_second_factor: '/authsvc/admin/users?role=superadmin&is_active=true&second_factor=false',
    webhook_failing: '/authsvc/admin/webhooks?is_active=true',
    token_expiring: `/authsvc/admin/tokens?expires_before=${encodeURIComponent(day)}`,
  };
  return addresses[kind];
}

/** What the overview shows. */
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
