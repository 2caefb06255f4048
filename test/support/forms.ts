import { expect } from 'vitest';
import type { Client, Reply, RequestOptions } from './client.ts';

/** A form of a page, with the current values of its fields. */
export interface PageForm {
  action: string;
  fields: Record<string, string>;
}

const unescapeText = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

const attributeOf = (tag: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : unescapeText(value);
};

/** Returns the POST forms of a page, in their order. An unticked checkbox has no value. */
function formsOf(html: string): PageForm[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)]
    .filter(([, tag = '']) => attributeOf(tag, 'method') === 'post')
    .map(([, tag = '', inside = '']) => {
      const inputs = [...inside.matchAll(/<(?:input|textarea)\b[^>]*>/g)].map(([input]) => input);
      const sent = inputs.filter((input) => attributeOf(input, 'type') !== 'checkbox' && attributeOf(input, 'name'));
      const typed = sent.map((input) => [attributeOf(input, 'name') ?? '', attributeOf(input, 'value') ?? '']);
      const selects = [...inside.matchAll(/(<select\b[^>]*>)(.*?)<\/select>/gs)];
      const chosen = selects.map(([, select = '', options = '']) => {
        const option = /<option\b[^>]* selected>/.exec(options) ?? /<option\b[^>]*>/.exec(options);
        return [attributeOf(select, 'name') ?? '', attributeOf(option?.[0] ?? '', 'value') ?? ''];
      });
      const fields = [...typed, ...chosen];
      return { action: attributeOf(tag, 'action') ?? '', fields: Object.fromEntries(fields) };
    });
}

/** Returns the only form of a page with this action. If there are several, returns the one with the given values. */
export function formOf(html: string, action: string, values: Record<string, string> = {}): PageForm {
  const isMeant = ({ fields }: PageForm) => Object.entries(values).every(([name, value]) => fields[name] === value);
  const found = formsOf(html).find((form) => form.action === action && isMeant(form));
  expect(found, `no form ${action} ${JSON.stringify(values)}`).toBeDefined();
  return found ?? { action: '', fields: {} };
}

/** Submits a form as a browser without scripts does. */
export const submit = (
  client: Client,
  form: PageForm,
  values: Record<string, string> = {},
  { address }: Pick<RequestOptions, 'address'> = {},
): Promise<Reply> =>
  client.request('POST', form.action, {
    ...(address === undefined ? {} : { address }),
    raw: new URLSearchParams({ ...form.fields, ...values }).toString(),
    type: 'application/x-www-form-urlencoded',
    headers: { accept: 'text/html' },
  });
