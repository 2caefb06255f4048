import { describe, expect, test } from 'vitest';
import { foldText } from './fold-text.ts';

describe('a text folded for searching', () => {
  test.each([
    ['the Greek final sigma', 'ΟΔΟΣ', 'οδος'],
    ['Georgian capitals', 'ᲐᲑᲒ', 'აბგ'],
    ['small Cherokee letters', 'ꭰꭱꭲ', 'ᎠᎡᎢ'],
    ['sharp s', 'STRASSE', 'straße'],
    ['capital sharp s', 'STRAẞE', 'Strasse'],
    ['Turkish letters', 'İZMİR ISPARTA', 'izmir ısparta'],
    ['a decomposed Turkish letter', 'I\u0307', 'i'],
    ['combining marks', 'E\u0301mile', 'ÉMILE'],
    ['a ligature', 'ﬁn', 'FIN'],
  ])('is the same for texts that differ only in case or composition: %s', (_, one, other) => {
    expect(foldText(one)).toBe(foldText(other));
  });

  test('contains the folded form of each part of the text', () => {
    const text = 'Ὀδυσσεύς Οδοσάμ';

    for (const part of ['ΣΣΕΎΣ', 'οδος', 'ΔΟΣ']) expect(foldText(text)).toContain(foldText(part));
  });

  test('stays different for letters that differ in more than case', () => {
    expect(foldText('é')).not.toBe(foldText('e'));
  });
});
