import { hash as argon2 } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { QueueFull } from './fair-queue.ts';
import { createPasswordHasher } from './password-hash.ts';

const hasher = createPasswordHasher();

test('a password matches only its own hash, in either Unicode form', async () => {
  const hash = await hasher.hash('pässwörd one');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await hasher.verify(hash, 'pässwörd one'.normalize('NFD'))).toBe(true);
  expect(await hasher.verify(hash, 'passwörd one')).toBe(false);
  expect(await hasher.verify(hash, ' pässwörd one')).toBe(false);
  expect(await hasher.hash('pässwörd one')).not.toBe(hash);
});

test('the bytes of a password after the 72nd count too', async () => {
  const long = 'p'.repeat(100);
  const hash = await hasher.hash(`${long}a`);
  expect(await hasher.verify(hash, `${long}a`)).toBe(true);
  expect(await hasher.verify(hash, `${long}b`)).toBe(false);
});

test.each(['not a hash', '', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA', '$2b$10$abcdefghijklmnopqrstuv'])(
  'the unreadable stored hash %j causes an exception and does not count as a wrong password',
  async (stored) => {
    await expect(hasher.verify(stored, 'whatever it is')).rejects.toThrow();
  },
);

test('a hash with weaker parameters needs to be replaced, and a stronger one does not', async () => {
  expect(hasher.needsRehash(await hasher.hash('right-horse'))).toBe(false);
  for (const [memoryCost, timeCost, isWeak] of [
    [8192, 1, true],
    [19_456, 1, true],
    [8192, 4, true],
    [19_456, 3, false],
    [32_768, 2, false],
  ] as const) {
    const hash = await argon2('right-horse', { memoryCost, timeCost });
    expect([memoryCost, timeCost, hasher.needsRehash(hash)]).toEqual([memoryCost, timeCost, isWeak]);
  }
  expect(hasher.needsRehash(await argon2('right-horse', { algorithm: 1, memoryCost: 32_768 }))).toBe(true);
  expect(hasher.needsRehash('')).toBe(true);
});

test('a client that adds more than the queue accepts is refused, while accepted work and other clients continue', async () => {
  const hash = await hasher.hash('right-horse');
  const crowd = Array.from({ length: 3000 }, () => hasher.verify(hash, 'right-horse', { client: 'greedy' }));
  const settled = Promise.allSettled(crowd);

  expect(await hasher.verify(hash, 'right-horse', { client: 'modest' })).toBe(true);
  expect(await hasher.verifyNothing('right-horse', { client: 'another' })).toBe(false);

  const all = await settled;
  const refused = all.filter((one) => one.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every((one) => one.reason instanceof QueueFull)).toBe(true);
  expect(all.some((one) => one.status === 'fulfilled' && one.value)).toBe(true);
  expect(await hasher.verify(hash, 'right-horse', { client: 'greedy' })).toBe(true);
});
