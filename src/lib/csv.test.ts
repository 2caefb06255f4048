import { expect, test } from 'vitest';
import { toCsvLine } from './csv.ts';

test.each<[unknown, string]>([
  ['plain', 'plain'],
  ['', ''],
  [null, ''],
  [undefined, ''],
  [0, '0'],
  [-7, '-7'],
  [false, 'false'],
  ['a,b', '"a,b"'],
  ['say "no"', '"say ""no"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@sum', "'@sum"],
  ['\tx', "'\tx"],
  ['\rx', '"\'\rx"'],
  [' =1', ' =1'],
  [['-a'], '"[""-a""]"'],
  [{ role: '=x' }, '"{""role"":""=x""}"'],
])('the value %j becomes the CSV field %j', (value, cell) => {
  expect(toCsvLine([value])).toBe(cell);
  expect(toCsvLine([1, value, 2])).toBe(`1,${cell},2`);
});
