import { describe, expect, test } from 'vitest';
import { pickLanguage } from './languages.ts';

describe('picking a language', () => {
  test.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-CH,de;q=0.9,en;q=0.8', 'de'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en'],
    ['fr,de;q=0.5', 'de'],
    ['en;q=0.2, de;q=0.7', 'de'],
    ['de;q=0, en;q=0.1', 'en'],
    ['*', 'en'],
    ['fr;q=1, *;q=0.5', 'en'],
    ['DE', 'de'],
    ['dex', 'en'],
    ['de;q=nonsense', 'en'],
    [',;,;q=,', 'en'],
  ])('a browser that prefers %j gets %s', (header, language) => {
    expect(pickLanguage(header)).toBe(language);
  });

  test('a language in the settings wins over the request', () => {
    expect(pickLanguage('en', 'de')).toBe('de');
  });

  test('an unknown language in the settings is ignored', () => {
    expect(pickLanguage('de', 'xx')).toBe('de');
  });
});
