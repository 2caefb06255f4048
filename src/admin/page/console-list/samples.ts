import type { SampleText } from '../../../ui/define-page.ts';
import { type ConsoleCell, type ConsoleListPage, consoleListPageData, type ListFacts } from './data.ts';

const MESSAGE = 'msg_5f0c2d7a9b3e4f61a8d07c25e19b6f34';
const AT = '2026-01-02T03:04:05.006Z';

/** Sample rows of the lists that have few states. */
function rowsOf(text: SampleText) {
  const profile: ConsoleCell[] = [
    { text: text('backup-tools'), isCode: true },
    text('Backups'),
    { word: 'disabled', badge: 'danger' },
    { scope: 'read-only' },
    text('authsvc'),
    90,
    { action: 'enable', path: text('/authsvc/api/admin/profiles/backup-tools'), name: text('Backups') },
  ];
  const webhook: ConsoleCell[] = [
    { text: text('https://hooks.example.com/authsvc'), href: '/authsvc/admin/webhooks/wh_1' },
    { word: 'active', badge: 'calm' },
    { text: 'user.created, user.removed', isCode: true },
    text('portal'),
    { time: AT },
    null,
    { time: AT },
  ];
  const delivery = (word: 'waiting' | 'delivered' | 'failed', badge: 'calm' | 'warning' | 'danger'): ConsoleCell[] => [
    { time: AT },
    { text: 'user.signed_in', isCode: true },
    { word, badge },
    2,
    word === 'waiting' ? { word: 'inTurn' } : null,
    {
      waiting: { failure: 'status', received: text('500: out of order') },
      delivered: { text: '200', isCode: true as const },
      failed: { failure: 'address_not_allowed', received: '' },
    }[word],
    word === 'delivered' ? null : { action: 'repeat', path: '/authsvc/api/admin/webhooks/wh_1/retry', name: MESSAGE },
    { text: MESSAGE, isCode: true },
  ];
  const session: ConsoleCell[] = [
    { text: text('ada'), href: '/authsvc/admin/users/7' },
    { method: 'password' },
    { text: text('192.0.2.17'), isCode: true },
    {
      userAgent: {
        browser: text('Firefox 140'),
        system: text('Windows'),
        header: text('Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Firefox/140.0'),
      },
    },
    { time: AT },
    { time: AT },
    {
      action: 'endSession',
      path: text('/authsvc/api/admin/sessions/7f3a'),
      name: text('ada'),
      userAgent: { browser: text('Firefox 140'), system: text('Windows') },
    },
  ];
  const ownSession = session
    .with(3, {
      userAgent: { browser: text('Safari'), system: text('macOS'), header: text('Mozilla/5.0') },
      isOwn: true,
    })
    .with(-1, { action: 'endOwnSession', path: text('/authsvc/api/admin/sessions/8a4b'), name: text('ada') });
  const token: ConsoleCell[] = [
    { text: text('tok_1a2b'), isCode: true },
    { text: text('ada'), href: '/authsvc/admin/users/7' },
    text('ci'),
    { scope: 'write' },
    text('authsvc'),
    null,
    { word: 'expired', badge: 'danger' },
    { action: 'endToken', path: text('/authsvc/api/admin/tokens/7'), name: text('ada'), item: text('tok_1a2b') },
  ];
  const deliveries = [delivery('waiting', 'warning'), delivery('delivered', 'calm'), delivery('failed', 'danger')];
  return { profile, session, ownSession, token, webhook, deliveries };
}

/** Samples of the audit log: with rows, and with an invalid filter. */
function auditSamples(text: SampleText, around: Pick<ListFacts, 'csrfToken' | 'roles' | 'knownApps' | 'ownApp'>) {
  const audit = consoleListPageData({
    ...around,
    view: 'audit',
    query: { after: text('after') },
    choices: { event: ['user.created', 'user.signed_in'] },
    rows: [
      [
        { time: AT },
        { text: 'user.signed_in', isCode: true },
        { actor: { type: 'user', name: text('ada') } },
        { text: text('ada'), href: '/authsvc/admin/users/7' },
        { text: text('192.0.2.17'), isCode: true },
        { text: text('method password; second_factor none'), isCode: true },
      ],
      [
        { time: AT },
        { text: 'application.secret_rotated', isCode: true },
        { actor: { type: 'operator', name: text('root') } },
        null,
        { text: text('2001:db8:85a3:8d3:1319:8a2e:370:7348'), isCode: true },
        {
          text: text(`application portal; secret_expires_at 2026-01-03T03:04:05.006Z; ${'a1b2c3d4'.repeat(8)}`),
          isCode: true,
        },
      ],
    ],
    next: null,
  });
  return {
    audit,
    refused: consoleListPageData({
      ...around,
      view: 'audit',
      query: { user_id: text('ada'), since: text('soon') },
      choices: { event: ['user.created', 'user.signed_in'] },
      rows: [],
      next: null,
      refused: 'since',
    }),
  };
}

export function samples(text: SampleText): Record<string, ConsoleListPage> {
  const user = (name: string, role: string, isActive: boolean): ConsoleCell[] => [
    { text: text(name), href: '/authsvc/admin/users/7' },
    text('Ada Lovelace'),
    text(role),
    isActive ? { word: 'active', badge: 'calm' } : { word: 'inactive', badge: 'danger' },
    text('authsvc, portal'),
    isActive ? { word: 'on', badge: '' } : { word: 'off', badge: '' },
    isActive ? { time: AT } : null,
    { time: AT },
  ];
  const around = {
    csrfToken: text('token'),
    roles: [text('normaluser'), text('superadmin')],
    knownApps: ['authsvc'],
    ownApp: 'authsvc',
  };
  const users = consoleListPageData({
    ...around,
    view: 'users',
    query: { q: text('ada'), role: [text('superadmin'), text('editor')], sort: '-last_login_at', app: text('portal') },
    choices: { role: [text('normaluser'), text('superadmin')] },
    rows: [user('ada', 'superadmin', true), user('grace.hopper@example.com', 'normaluser', false)],
    next: text('next'),
  });
  const { profile, session, ownSession, token, webhook, deliveries: sent } = rowsOf(text);
  const deliveries = consoleListPageData({
    ...around,
    view: 'deliveries',
    webhook: { id: 'wh_1', url: text('https://hooks.example.com/authsvc') },
    query: { status: 'failed' },
    choices: { status: ['waiting', 'delivered', 'failed'] },
    rows: sent,
    next: text('next'),
  });
  const list = { ...around, query: {}, choices: {}, next: null };
  return {
    users,
    ...auditSamples(text, around),
    profiles: consoleListPageData({
      ...list,
      view: 'profiles',
      rows: [profile, profile.with(-1, { action: 'disable', path: text('/a'), name: text('b') })],
    }),
    'sessions-some': consoleListPageData({ ...list, view: 'sessions', rows: [session, ownSession] }),
    'tokens-some': consoleListPageData({ ...list, view: 'tokens', rows: [token] }),
    sessions: consoleListPageData({ ...list, view: 'sessions', query: { address: text('192.0.2.17') }, rows: [] }),
    webhooks: consoleListPageData({ ...list, view: 'webhooks', rows: [webhook] }),
    deliveries,
    tokens: consoleListPageData({ ...list, view: 'tokens', rows: [] }),
    applications: consoleListPageData({ ...list, view: 'applications', rows: [] }),
  };
}
