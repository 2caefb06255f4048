import { expect, test } from 'vitest';
import { isAcceptableNewName, parseUsername } from './username.ts';

test.each([
  ['  ﬁnn ', 'finn', 'finn'],
  ['MiXed', 'MiXed', 'mixed'],
  ['Ädam'.normalize('NFD'), 'Ädam', 'ädam'],
  ['STRASSE', 'STRASSE', 'strasse'],
  ['Straße', 'Straße', 'strasse'],
  ['李雷', '李雷', '李雷'],
  ['n'.repeat(255), 'n'.repeat(255), 'n'.repeat(255)],
])('the username %s is stored as %s', (text, name, key) => {
  expect(parseUsername(text)).toEqual({ name, key });
});

test.each(['bob\u034f', 'bob\u2800', 'b  ob'])(
  'the username %j, which an older user may have, is still parsed',
  (text) => {
    expect(parseUsername(text)).toEqual({ name: text, key: text });
  },
);

test.each(['', '   ', 'n'.repeat(256), 'a\u0000b', 'a\nb', 'a\u200bb', 'a\ud800b', 'a\u202eb', 'a\u2028b'])(
  '%j is refused as a username',
  (text) => {
    expect(parseUsername(text)).toBeUndefined();
  },
);

test.each([
  ['stats', false],
  ['STATS', false],
  ['.', false],
  ['..', false],
  ['...', true],
  ['statistics', true],
  ['аlice', false],
  ['алиса', true],
  ['alice', true],
  ['b ob', true],
  ['b  ob', false],
  ['b\u1680ob', false],
  ['b\u00a0ob', true],
  ['bob\u3164', false],
  ['bob\u034f', false],
  ['bob\ufe0f', false],
  ['bob\u2800', false],
  ['bob\u{1d159}', false],
  ['b\u115fob', false],
  ['\u2800', false],
  ['\u0301', false],
])('whether a new user may have the name %s: %s', (text, isFine) => {
  const username = parseUsername(text);
  expect(username && isAcceptableNewName(username)).toBe(isFine);
});
