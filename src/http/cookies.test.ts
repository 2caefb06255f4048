import { expect, test } from 'vitest';
import { cookieMembers, cookieValues } from './cookies.ts';

test.each([
  [undefined, []],
  ['', []],
  ['session_id=a', ['a']],
  ['session_id=dead; x=1; session_id=live', ['dead', 'live']],
  ['session_id=a; session_id=a', ['a']],
  ['my_session_id=a; session_idx=b', []],
  ['session_id', []],
  ['session_id=; =x; ;', []],
  ['session_id=a=b', ['a=b']],
  ['__proto__=1; constructor=2', []],
])('the Cookie header %j has the values %j', (header, values) => {
  expect(cookieValues(header, 'session_id')).toEqual(values);
});

test.each([
  [undefined, []],
  ['a=1; start=2; xstart.a=3', []],
  [
    'start.one=1; x=2;start.two=a=b',
    [
      { part: 'one', value: '1' },
      { part: 'two', value: 'a' },
    ],
  ],
  ['start.=1; start.a b=2; start.ä=3; start.a.b=4; start.a"=5', []],
  [`start.${'x'.repeat(65)}=1`, []],
  ['start.__proto__=1', [{ part: '__proto__', value: '1' }]],
  ['start.bare', [{ part: 'bare', value: '' }]],
])('in the Cookie header %j, the cookies with a valid name that begins with "start." are %j', (header, members) => {
  expect(cookieMembers(header, 'start.')).toEqual(members);
});
