import type { TokenScope } from '../../../api-tokens/token.ts';
import type { BrowserNames } from '../../../lib/browser-names.ts';

export type ConsoleView =
  | 'users'
  | 'applications'
  | 'profiles'
  | 'tokens'
  | 'sessions'
  | 'webhooks'
  | 'deliveries'
  | 'audit';

/** A value of a table; `word` is a text of the page. */
export type ConsoleCell =
  | string
  | number
  | null
  | { text: string; href?: string; isCode?: true }
  | { time: string }
  | { scope: TokenScope }
  | { method: string }
  | { userAgent: BrowserNames & { header: string } }
  | { actor: { type: string; name: string | null } }
  | ConsoleAction
  | { word: ConsoleWord; badge?: 'calm' | 'warning' | 'danger' | '' };

export type ConsoleWord =
  | 'active'
  | 'inactive'
  | 'disabled'
  | 'on'
  | 'off'
  | 'expired'
  | 'waiting'
  | 'delivered'
  | 'failed'
  | 'inTurn'
  | 'anyRole'
  | 'anyApp'
  | 'everyEvent';
/** A button of a row. The words of the page name what it does to the thing that is named. */
interface ConsoleAction {
  action: 'disable' | 'enable' | 'endToken' | 'endSession' | 'repeat';
  path: string;
  /** Whom or what it is about. */
  name: string;
  /** Which one of several it is: the beginning of a token. */
  item?: string;
  /** Which one of several it is: the browser of a session. */
  userAgent?: BrowserNames;
}

type Column =
  | 'username'
  | 'full_name'
  | 'role'
  | 'state'
  | 'allowed_apps'
  | 'second_factor'
  | 'last_login_at'
  | 'created_at'
  | 'key'
  | 'name'
  | 'urls'
  | 'roles'
  | 'scope'
  | 'expires_in_days'
  | 'token_prefix'
  | 'last_used_at'
  | 'expires_at'
  | 'method'
  | 'address'
  | 'user_agent'
  | 'at'
  | 'event'
  | 'actor'
  | 'subject'
  | 'details'
  | 'url'
  | 'events'
  | 'app'
  | 'failing_since'
  | 'last_delivered_at'
  | 'message'
  | 'status'
  | 'attempts'
  | 'next_attempt_at'
  | 'answer'
  | 'change';

type Field =
  | 'q'
  | 'role'
  | 'is_active'
  | 'is_failing'
  | 'second_factor'
  | 'app'
  | 'last_login_after'
  | 'last_login_before'
  | 'user_id'
  | 'address'
  | 'method'
  | 'scope'
  | 'token_prefix'
  | 'expires_before'
  | 'user'
  | 'event'
  | 'application'
  | 'since'
  | 'until'
  | 'status';

interface ViewParts {
  fields: readonly Field[];
  /** Below the others, shown when asked for or in use. */
  more?: readonly Field[];
  columns: readonly Column[];
  sorts?: readonly Column[];
  exports?: readonly ('csv' | 'jsonl')[];
}

const views: { readonly [View in ConsoleView]: ViewParts } = {
  users: {
    fields: ['q', 'role', 'is_active', 'second_factor'],
    more: ['app', 'last_login_after', 'last_login_before'],
    columns: ['username', 'full_name', 'role', 'state', 'allowed_apps', 'second_factor', 'last_login_at', 'created_at'],
    sorts: ['username', 'last_login_at', 'created_at'],
    exports: ['csv'],
  },
  applications: { fields: ['is_active'], columns: ['key', 'name', 'state', 'roles', 'urls', 'created_at'] },
  profiles: {
    fields: ['is_active'],
    columns: ['key', 'name', 'state', 'scope', 'allowed_apps', 'expires_in_days', 'change'],
  },
  tokens: {
    fields: ['token_prefix', 'user', 'scope', 'expires_before'],
    more: ['user_id'],
    columns: ['token_prefix', 'username', 'name', 'scope', 'allowed_apps', 'last_used_at', 'expires_at', 'change'],
  },
  sessions: {
    fields: ['user', 'address', 'method'],
    more: ['user_id'],
    columns: ['username', 'method', 'address', 'user_agent', 'created_at', 'expires_at', 'change'],
  },
  webhooks: {
    fields: ['is_active', 'is_failing'],
    columns: ['url', 'state', 'events', 'app', 'failing_since', 'last_delivered_at', 'created_at'],
  },
  deliveries: {
    fields: ['status'],
    columns: ['at', 'event', 'status', 'attempts', 'next_attempt_at', 'answer', 'change', 'message'],
  },
  audit: {
    fields: ['user', 'event', 'address', 'application'],
    more: ['user_id', 'since', 'until'],
    columns: ['at', 'event', 'actor', 'subject', 'address', 'details'],
    exports: ['csv', 'jsonl'],
  },
};

/** A filter of the form. With `choices` it is a selection; the first choice is to filter nothing. */
interface ConsoleField {
  name: Field;
  value: string;
  choices: readonly string[] | undefined;
  isRefused: boolean;
}

/** What the template needs. */
export interface ConsoleListPage {
  view: ConsoleView;
  /** The path of the list. */
  path: string;
  /** The webhook whose deliveries these are. */
  webhook: { url: string; href: string } | undefined;
  fields: ConsoleField[];
  more: ConsoleField[];
  /** What else the address holds: kept by the form. */
  kept: { name: string; value: string }[];
  columns: {
    name: Column;
    sort: { href: string; direction: 'ascending' | 'descending' | undefined } | undefined;
  }[];
  rows: ConsoleCell[][];
  exports: { kind: 'csv' | 'jsonl'; href: string }[];
  isFiltered: boolean;
  /** Whether the value of a filter was refused. */
  isRefused: boolean;
  csrfToken: string;
  roles: readonly string[];
  /** The names of applications that need no warning; empty: none does. */
  knownApps: readonly string[];
  /** Where the list begins; undefined: it is the page that is shown. */
  first: string | undefined;
  next: string | undefined;
}

/** Whether the form of a list has a field of this name. */
export function hasField(view: ConsoleView, name: string): boolean {
  const { fields, more = [] }: ViewParts = views[view];
  return [...fields, ...more].some((field) => field === name);
}

/** The parameters of an address, in their order; those without a value are left out. */
type Parameters = readonly (readonly [name: string, value: string])[];

const withParameters = (path: string, parameters: Parameters): string =>
  parameters.length > 0
    ? `${path}?${new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value]))}`
    : path;

const webhookPath = (id: string): string => `/authsvc/admin/webhooks/${encodeURIComponent(id)}`;

function sortOf(view: ConsoleView, path: string, column: Column, parameters: Parameters) {
  const { sorts = [] } = views[view];
  if (!sorts.includes(column)) return undefined;
  const current = parameters.find(([name]) => name === 'sort')?.[1] ?? sorts[0];
  const others = parameters.filter(([name]) => name !== 'sort');
  const href = withParameters(path, [...others, ['sort', current === column ? `-${column}` : column]]);
  if (current === column) return { href, direction: 'ascending' as const };
  return { href, direction: current === `-${column}` ? ('descending' as const) : undefined };
}

export interface ListFacts {
  view: ConsoleView;
  /** The webhook whose deliveries these are. */
  webhook?: { id: string; url: string };
  /** The query of the address. */
  query: Readonly<Record<string, string | string[] | undefined>>;
  /** The values among which a filter chooses. */
  choices: { readonly [Name in Field]?: readonly string[] };
  rows: ConsoleCell[][];
  next: string | null;
  /** The field of the form whose value was refused. */
  refused?: string;
  csrfToken: string;
  /** The roles that a user can have. */
  roles: readonly string[];
  /** From `listKnownApps`, for the lists whose forms take applications; empty for the others. */
  knownApps: readonly string[];
}

const yesOrNo: ReadonlySet<Field> = new Set<Field>(['is_active', 'is_failing', 'second_factor']);

/** What a list of the console shows. */
export function consoleListPageData({
  view,
  webhook,
  query,
  choices,
  rows,
  next,
  refused,
  ...rest
}: ListFacts): ConsoleListPage {
  const path = webhook ? `${webhookPath(webhook.id)}/deliveries` : `/authsvc/admin/${view}`;
  const { fields, more = [], columns, exports = [] } = views[view];
  const all = Object.entries(query).flatMap(([name, values]) =>
    [values ?? []].flat().flatMap((value): [string, string][] => (value ? [[name, value]] : [])),
  );
  const parameters = all.filter(([name]) => name !== 'after');
  const names: readonly string[] = [...fields, ...more];
  const filters = parameters.filter(([name]) => names.includes(name));
  const filterOf = (name: string) => filters.find(([other]) => other === name);
  const toField = (name: Field): ConsoleField => ({
    name,
    value: filterOf(name)?.[1] ?? '',
    choices: yesOrNo.has(name) ? ['true', 'false'] : choices[name],
    isRefused: name === refused,
  });
  const kept = parameters.filter((pair) => !names.includes(pair[0]) || filterOf(pair[0]) !== pair);
  return {
    ...rest,
    view,
    path,
    webhook: webhook && { url: webhook.url, href: webhookPath(webhook.id) },
    fields: fields.map(toField),
    more: more.map(toField),
    kept: kept.map(([name, value]) => ({ name, value })),
    columns: columns.map((name) => ({ name, sort: sortOf(view, path, name, parameters) })),
    rows,
    exports: exports.map((kind) => ({
      kind,
      href: withParameters(
        `/authsvc/api/admin/${view}.${kind}`,
        parameters.filter(([name]) => name !== 'limit'),
      ),
    })),
    isFiltered: filters.length > 0,
    isRefused: refused !== undefined,
    first: all.length > parameters.length ? withParameters(path, parameters) : undefined,
    next: next === null ? undefined : withParameters(path, [...parameters, ['after', next]]),
  };
}
