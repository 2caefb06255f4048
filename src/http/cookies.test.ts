import { expect, test } from 'vitest';
import { cookieValues } from './cookies.ts';

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
])('%j holds %j', (header, values) => {
  expect(cookieValues(header, 'session_id')).toEqual(values);
});
