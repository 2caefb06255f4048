import type { SampleText } from '../../../ui/define-page.ts';
import { type ConsoleOverviewPage, consoleOverviewPageData } from './data.ts';

const counts = [
  3, 0, 12, 14, 9, 11, 2, 1, 15, 17, 13, 12, 18, 4, 2, 21, 19, 16, 22, 20, 5, 3, 24, 26, 19, 23, 21, 6, 4, 17,
];
const dateOf = (at: number): string => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10);

export function samples(text: SampleText): Record<string, ConsoleOverviewPage> {
  const busy = {
    success: true as const,
    generated_at: '2026-01-30T03:04:05.006Z',
    users: { total: 1204, active: 1187, superadmins: 3 },
    sessions: { active: 412 },
    sign_ins: counts.map((count, at) => ({ date: dateOf(at), count })),
    refusals: [
      { reason: text('PASSWORD_INCORRECT'), count: 41 },
      { reason: text('TOKEN_INVALID'), count: 3 },
    ],
    hash_queue: { waiting: 2, wait_ms: 34 },
    database: { kind: 'postgres' as const, up: true, latency_ms: 0.7 },
    change_feed: { up: true },
    version: text('1.2.3'),
    attention: [
      { kind: 'superadmin_without_second_factor', count: 1 },
      { kind: 'token_expiring', count: 4 },
      { kind: 'mail_waiting', count: 2 },
    ],
  };
  return {
    busy: consoleOverviewPageData(busy),
    calm: consoleOverviewPageData({
      ...busy,
      sign_ins: busy.sign_ins.map(({ date }) => ({ date, count: 0 })),
      refusals: [],
      database: { kind: 'sqlite', up: true, latency_ms: 0.1 },
      change_feed: { up: false },
      attention: [],
    }),
  };
}
