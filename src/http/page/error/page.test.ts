import { expect, test } from 'vitest';
import { pageLanguages, render, sampleOf } from '../../../../test/support/pages.ts';
import { errorNames, errorRegistry } from '../../../errors/registry.ts';
import { languages } from '../../../ui/texts/languages.ts';
import { type ErrorPage, errorPage } from './page.ts';

const plainText = (html: string) => html.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');

test.each(errorNames)('the page for %s shows its message as the heading and only its hint below', (code) => {
  const { number, ...entry } = errorRegistry[code];
  for (const language of pageLanguages) {
    const { message, hint } = languages[language].errors[code] ?? entry;

    const html = render(errorPage, { ...entry, code, errorCode: number, requestId: 'r-1' }, { language });

    const words = html.replace(/^.*<main[^>]*>|<\/main>.*$/gs, '').replace(/<[^>]*>/g, '\n');
    const lines = words.split('\n').filter((line) => line.trim() !== '');
    expect(lines.slice(0, 2).map(plainText)).toEqual([message, hint]);
    expect(lines).toEqual([...new Set(lines)]);
  }
});

test('the error page says how long to wait', () => {
  const refusal = sampleOf(errorPage, 'limit');
  const waits = (waitSeconds: number) =>
    pageLanguages.map((language) => {
      const html = render(errorPage, { ...refusal, waitSeconds }, { language });
      return /id="wait"[^>]*>([^<]*)/.exec(html)?.[1];
    });

  expect(waits(1)).toEqual(['Try again in 1 second', 'Neuer Versuch in 1 Sekunde']);
  expect(waits(43)).toEqual(['Try again in 43 seconds', 'Neuer Versuch in 43 Sekunden']);
  expect(waits(60)).toEqual(['Try again in 1 minute', 'Neuer Versuch in 1 Minute']);
  expect(waits(241)).toEqual(['Try again in 5 minutes', 'Neuer Versuch in 5 Minuten']);
});

test('the error page opens the details for support only if the visitor must pass them on', () => {
  const { message, code, errorCode, hint, requestId } = sampleOf(errorPage, 'not-found');
  const isUnfolded = (refusal: Pick<ErrorPage, 'status' | 'providerAccount'>) => {
    const html = render(errorPage, { message, code, errorCode, hint, requestId, ...refusal });
    return html.includes('<details class="small-print" open>');
  };

  expect(isUnfolded({ status: 404 })).toBe(false);
  expect(isUnfolded({ status: 500 })).toBe(true);
  expect(isUnfolded({ status: 403, providerAccount: '583231' })).toBe(true);
});
