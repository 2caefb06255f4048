import { describe, expect, test } from 'vitest';
import { newUuid } from '../lib/random.ts';
import { createSealer, type Sealer } from '../lib/sealing.ts';
import { createOpenSessionId, sealSessionId } from './sealed-id.ts';

const SECRET = 'a secret of at least 32 characters!';

/** Creates a sealer that counts how often it opens a text. */
function countingSealer(): { sealer: Sealer; opened: () => number } {
  const real = createSealer([SECRET]);
  let count = 0;
  const open: Sealer['open'] = (...args) => {
    count += 1;
    return real.open(...args);
  };
  return { sealer: { ...real, open }, opened: () => count };
}

describe('a sealed session id', () => {
  test('opens to the id and the time of its sealing, and its text reveals neither', () => {
    const [sealer, id] = [createSealer([SECRET]), newUuid()];
    const openSessionId = createOpenSessionId(sealer);

    const sealed = sealSessionId(sealer, id, 1_700_000_000_000);

    expect(openSessionId(sealed)).toEqual({ id, issuedAt: 1_700_000_000_000, isAged: false });
    expect(sealed).not.toContain(id);
    expect(sealSessionId(sealer, id, 1_700_000_000_000)).not.toBe(sealed);
  });

  test('is opened once and then cached; a text that does not open is tried again each time', () => {
    const { sealer, opened } = countingSealer();
    const openSessionId = createOpenSessionId(sealer);
    const sealed = sealSessionId(sealer, newUuid(), 1);

    for (let i = 0; i < 3; i += 1) openSessionId(sealed);
    expect(opened()).toBe(1);
    for (let i = 0; i < 3; i += 1) openSessionId(`${sealed}A`);
    expect(opened()).toBe(4);
  });

  test('does not open if another sealer sealed it', () => {
    const [sealer, other] = [createSealer([SECRET]), createSealer(['another secret of at least 32 characters'])];
    const sealed = sealSessionId(sealer, newUuid(), 1);

    expect(createOpenSessionId(sealer)(sealed)).toBeDefined();
    expect(createOpenSessionId(other)(sealed)).toBeUndefined();
  });

  test('is not decrypted if it is far too long', () => {
    const { sealer, opened } = countingSealer();

    expect(createOpenSessionId(sealer)(`v1.${'A'.repeat(300)}`)).toBeUndefined();

    expect(opened()).toBe(0);
  });

  test('is the only text from which an id can be read', () => {
    const [sealer, id] = [createSealer([SECRET]), newUuid()];
    const openSessionId = createOpenSessionId(sealer);
    const purpose = 'cookie session_id';
    const others = [
      '',
      'v1.',
      id,
      sealer.seal('another purpose', `${id} 1`),
      sealer.seal(purpose, ''),
      sealer.seal(purpose, `${id}x 1`),
      sealer.seal(purpose, ` ${id} 1`),
      sealer.seal(purpose, 'not-a-uuid 1'),
    ];

    for (const text of others) expect(openSessionId(text)).toBeUndefined();
  });
});
