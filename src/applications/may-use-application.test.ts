import { expect, test } from 'vitest';
import { mayUseApplication } from './may-use-application.ts';

const wiki = { key: 'wiki', roles: [], disabledAt: null };
const forEditors = { ...wiki, roles: ['editor', 'superadmin'] };
const member = { role: 'normaluser', allowedApps: ['authsvc', 'WIKI'] };

test.each([
  ['who has its key, in any case', member, wiki, true],
  ['who does not have it', { ...member, allowedApps: ['authsvc', 'wiki2'] }, wiki, false],
  ['who has its key and one of its roles', { ...member, role: 'editor' }, forEditors, true],
  ['who has none of its roles', member, forEditors, false],
  ['who has one of its roles but not its key', { role: 'editor', allowedApps: ['authsvc'] }, forEditors, false],
  ['a superadmin', { role: 'superadmin', allowedApps: [] }, wiki, true],
  ['a superadmin, whatever its roles', { role: 'superadmin', allowedApps: [] }, { ...wiki, roles: ['editor'] }, true],
  ['no one, when it is disabled', { role: 'superadmin', allowedApps: ['wiki'] }, { ...wiki, disabledAt: 1 }, false],
  ['a token for everything of its user', { ...member, ownApps: null }, wiki, true],
  ['a token that holds its key', { ...member, ownApps: ['Wiki'] }, wiki, true],
  ['a token for something else', { ...member, ownApps: ['authsvc'] }, wiki, false],
  [
    "a superadmin's token for something else",
    { role: 'superadmin', allowedApps: [], ownApps: ['authsvc'] },
    wiki,
    false,
  ],
  ['a token that holds its key when the user does not', { role: 'x', allowedApps: [], ownApps: ['wiki'] }, wiki, false],
])('%s: %o, %o, %s', (_who, user, application, expected) => {
  expect(mayUseApplication(user, application)).toBe(expected);
});
