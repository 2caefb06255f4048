import { expect, test } from 'vitest';
import { mayUseApplication } from './may-use-application.ts';

const wiki = { key: 'wiki', roles: [], disabledAt: null };
const forEditors = { ...wiki, roles: ['editor', 'superadmin'] };
const member = { role: 'normaluser', allowedApps: ['authsvc', 'WIKI'] };

test.each([
  ['a user with its key may use it, in any case of letters', member, wiki, true],
  ['a user without its key may not use it', { ...member, allowedApps: ['authsvc', 'wiki2'] }, wiki, false],
  ['a user with its key and one of its roles may use it', { ...member, role: 'editor' }, forEditors, true],
  ['a user with none of its roles may not use it', member, forEditors, false],
  [
    'a user with one of its roles but without its key may not use it',
    { role: 'editor', allowedApps: ['authsvc'] },
    forEditors,
    false,
  ],
  ['a superadmin may use it', { role: 'superadmin', allowedApps: [] }, wiki, true],
  [
    'a superadmin may use it, whatever its roles are',
    { role: 'superadmin', allowedApps: [] },
    { ...wiki, roles: ['editor'] },
    true,
  ],
  [
    'not even a superadmin may use it while it is disabled',
    { role: 'superadmin', allowedApps: ['wiki'] },
    { ...wiki, disabledAt: 1 },
    false,
  ],
  ['a token for all applications of a user may use it', { ...member, ownApps: null }, wiki, true],
  ['a token that lists its key may use it', { ...member, ownApps: ['Wiki'] }, wiki, true],
  ['a token that lists only another key may not use it', { ...member, ownApps: ['authsvc'] }, wiki, false],
  [
    "a superadmin's token that lists only another key may not use it",
    { role: 'superadmin', allowedApps: [], ownApps: ['authsvc'] },
    wiki,
    false,
  ],
  [
    'a token that lists its key may not use it if the user may not',
    { role: 'x', allowedApps: [], ownApps: ['wiki'] },
    wiki,
    false,
  ],
])('who may use an application: %s', (_who, user, application, expected) => {
  expect(mayUseApplication(user, application)).toBe(expected);
});
