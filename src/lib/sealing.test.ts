import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSealer } from './sealing.ts';

const OLD = 'an old secret of at least 32 characters';
const NEW = 'a new secret of at least 32 characters!';

test('a sealed text opens only for its purpose, and sealing gives a different result each time', () => {
  const sealer = createSealer([NEW]);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
      const sealed = sealer.seal('a cookie', plain);
      expect(sealed).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
      expect(sealer.open('a cookie', sealed)).toBe(plain);
      expect(sealer.open('another cookie', sealed)).toBeUndefined();
      expect(sealer.seal('a cookie', plain)).not.toBe(sealed);
    }),
  );
});

test('a sealed text does not open if any character is changed, or if it is cut or lengthened', () => {
  const sealer = createSealer([NEW]);
  const sealed = sealer.seal('a cookie', 'the content');
  for (let at = 0; at < sealed.length; at += 1) {
    const other = sealed[at] === 'A' ? 'B' : 'A';
    expect(sealer.open('a cookie', sealed.slice(0, at) + other + sealed.slice(at + 1))).toBeUndefined();
    expect(sealer.open('a cookie', sealed.slice(0, at))).toBeUndefined();
  }
  for (const odd of ['', 'v1.', `${sealed}A`, `${sealed}=`, ` ${sealed}`, sealed.replace('v1', 'v2'), 'nonsense']) {
    expect(sealer.open('a cookie', odd)).toBeUndefined();
  }
});

test('with several secrets, a text is sealed with the first one, and any of them opens what it has sealed', () => {
  const sealedByOld = createSealer([OLD]).seal('a cookie', 'x');
  const rotated = createSealer([NEW, OLD]);
  expect(rotated.open('a cookie', sealedByOld)).toBe('x');
  expect(createSealer([NEW]).open('a cookie', rotated.seal('a cookie', 'y'))).toBe('y');
  expect(createSealer([NEW]).open('a cookie', sealedByOld)).toBeUndefined();
});
