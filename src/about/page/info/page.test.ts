import { expect, test } from 'vitest';
import { render, sampleOf } from '../../../../test/support/pages.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { infoPage } from './page.ts';

test('a session of less than a day is shown in hours, and provider names have spaces between them', () => {
  const sample = sampleOf(infoPage, 'unknown');

  const [english, german] = [render(infoPage, sample), render(infoPage, sample, { language: 'de' })];

  expect(english).toContain('>12 hours</dd>');
  expect(german).toContain('>12 Stunden</dd>');
  for (const html of [english, german]) expect(html).toContain('>forge, corp</dd>');
});

test.each([
  [2, '2 days', '2 Tage'],
  [1, '1 day', '1 Tag'],
  [1.5, '1.5 days', '1,5 Tage'],
  [1 / 24, '1 hour', '1 Stunde'],
])('%f days are written in words', (days, english, german) => {
  expect(en.spelled.COOKIE_EXPIRE_TIME(days)).toBe(english);
  expect(de.spelled.DEVICE_TRUST_DURATION_DAYS(days)).toBe(german);
});
