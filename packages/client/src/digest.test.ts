import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { digest } from './digest.ts';

test('a digest is the SHA-256 of the text, for texts of any length', () => {
  const texts = [...Array.from({ length: 200 }, (_, length) => 'x'.repeat(length)), 'ü🐎', 'v1.'.repeat(5000)];
  for (const text of texts) {
    const words = Uint16Array.from(digest(text), (character) => character.charCodeAt(0));
    const hex = [...new Uint32Array(words.buffer)].map((word) => word.toString(16).padStart(8, '0')).join('');
    expect(hex).toBe(hash('sha256', text));
  }
});
