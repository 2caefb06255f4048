import { expect, test } from 'vitest';
import { mayUseApplication } from './may-use-application.ts';

const wiki = { key: 'wiki', roles: [], disabledAt: null };
const forEditors = { ...wiki, roles: ['editor', 'superadmin'] };
const member = { role: 'normaluser', allowedApps: ['authsvc', 'WIKI'] };

test.each([
  ['a user who has its key, in any case', member, wiki, true],
  ['a user who does not have its key', { ...member, allowedApps: ['authsvc', 'wiki2'] }, wiki, false],
  ['a user who has its key and one of its roles', { ...member, role: 'editor' }, forEditors, true],
  ['a user who has none of its roles', member, forEditors, false],
  ['a user who has a role but not its key', { role: 'editor', allowedApps: ['authsvc'] }, forEditors, false],
  ['a superadmin', { role: 'superadmin', allowedApps: [] }, wiki, true],
  ['a superadmin, for any roles', { role: 'superadmin', allowedApps: [] }, { ...wiki, roles: ['editor'] }, true],
  ['a superadmin, while disabled', { role: 'superadmin', allowedApps: ['wiki'] }, { ...wiki, disabledAt: 1 }, false],
  ['a token for all applications of its user', { ...member, ownApps: null }, wiki, true],
  ['a token that lists its key', { ...member, ownApps: ['Wiki'] }, wiki, true],
  ['a token that lists another key', { ...member, ownApps: ['authsvc'] }, wiki, false],
  [
    "a superadmin's token that lists another key",
    { role: 'superadmin', allowedApps: [], ownApps: ['authsvc'] },
    wiki,
    false,
  ],
  ['a token that lists its key, without its user', { role: 'x', allowedApps: [], ownApps: ['wiki'] }, wiki, false],
])('%s: the answer for user %o and application %o is %s', (_who, user, application, expected) => {
  expect(mayUseApplication(user, application)).toBe(expected);
});
