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

/** A value in a table. `word` is the key of a text of the page. */
export type ConsoleCell =
  | string
  | number
  | null
  | { text: string; href?: string; isCode?: true }
  | { time: string }
  | { failure: string; received: string }
  | { scope: TokenScope }
  | { method: string }
  | { userAgent: BrowserNames & { header: string }; isOwn?: boolean }
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
/** A button in a row. The page's text for its `action` contains `name`. */
interface ConsoleAction {
  action: 'disable' | 'enable' | 'endToken' | 'endSession' | 'endOwnSession' | 'repeat';
  path: string;
  /** The user or thing that the action changes. */
  name: string;
  /** For a token: its beginning, which distinguishes it from other tokens of the user. */
  item?: string;
  /** For a session: its browser, which distinguishes it from other sessions of the user. */
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
  /** Fields that are folded away below `fields`, unless a person opens them or one of them has a value. */
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

/** A filter of the form. With `choices` it is a selection, whose first option turns the filter off. */
interface ConsoleField {
  name: Field;
  value: string;
  choices: readonly string[] | undefined;
  isRefused: boolean;
}

/** The data of the page, for its template. */
export interface ConsoleListPage {
  view: ConsoleView;
  /** The path of the page. */
  path: string;
  /** The webhook whose deliveries are listed; undefined in other lists. */
  webhook: { url: string; href: string } | undefined;
  fields: ConsoleField[];
  more: ConsoleField[];
  /** Other query parameters of the page. The form sends them again as hidden fields. */
  kept: { name: string; value: string }[];
  columns: {
    name: Column;
    sort: { href: string; direction: 'ascending' | 'descending' | undefined } | undefined;
  }[];
  rows: ConsoleCell[][];
  exports: { kind: 'csv' | 'jsonl'; href: string }[];
  isFiltered: boolean;
  /** Whether a filter has an invalid value. */
  isRefused: boolean;
  csrfToken: string;
  roles: readonly string[];
  /** Application names that the form accepts without a warning. If the list is empty, the form never warns. */
  knownApps: readonly string[];
  /** The value of APP_NAME: the application that a user must have to sign in. */
  ownApp: string;
  /** Link to the first page; undefined if this is the first page. */
  first: string | undefined;
  next: string | undefined;
}

/** Returns whether the form of a list has a field with this name. */
export function hasField(view: ConsoleView, name: string): boolean {
  const { fields, more = [] }: ViewParts = views[view];
  return [...fields, ...more].some((field) => field === name);
}

/** Query parameters in order. Those without a value are left out. */
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
  /** The webhook whose deliveries are listed; undefined in other lists. */
  webhook?: { id: string; url: string };
  /** The query of the request. */
  query: Readonly<Record<string, string | string[] | undefined>>;
  /** The options of filters that are selections. */
  choices: { readonly [Name in Field]?: readonly string[] };
  rows: ConsoleCell[][];
  next: string | null;
  /** The form field with an invalid value. */
  refused?: string;
  csrfToken: string;
  /** The roles that a user can have. */
  roles: readonly string[];
  /** From `listKnownApps` for lists with a form that takes application names; empty for other lists. */
  knownApps: readonly string[];
  /** The value of APP_NAME. */
  ownApp: string;
}

const yesOrNo: ReadonlySet<Field> = new Set<Field>(['is_active', 'is_failing', 'second_factor']);

/** Returns the data of a page with a list. */
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
