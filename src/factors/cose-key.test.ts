import { generateKeyPairSync } from 'node:crypto';
import { cose, isoCBOR } from '@simplewebauthn/server/helpers';
import { expect, test } from 'vitest';
import { isCoseKey } from './cose-key.ts';

const { COSEKEYS, COSEKTY, COSEALG, COSECRV } = cose;
type Fields = [number, number | Uint8Array<ArrayBuffer>][];
const bytes = (text = '') => new Uint8Array(Buffer.from(text, 'base64url'));
const encode = (fields: Fields) => isoCBOR.encode(new Map(fields));

function curveKey(namedCurve: string, alg: number, crv: number): Fields {
  const { x, y } = generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' });
  const head: Fields = [
    [COSEKEYS.kty, COSEKTY.EC2],
    [COSEKEYS.alg, alg],
    [COSEKEYS.crv, crv],
  ];
  return [...head, [COSEKEYS.x, bytes(x)], [COSEKEYS.y, bytes(y)]];
}

function edwardsKey(): Fields {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const head: Fields = [
    [COSEKEYS.kty, COSEKTY.OKP],
    [COSEKEYS.alg, COSEALG.EdDSA],
    [COSEKEYS.crv, COSECRV.ED25519],
  ];
  return [...head, [COSEKEYS.x, bytes(x)]];
}

function rsaKey(): Fields {
  const { n, e } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
  const head: Fields = [
    [COSEKEYS.kty, COSEKTY.RSA],
    [COSEKEYS.alg, COSEALG.RS256],
  ];
  return [...head, [COSEKEYS.n, bytes(n)], [COSEKEYS.e, bytes(e)]];
}

test.each<[string, Fields]>([
  ['P-256', curveKey('P-256', COSEALG.ES256, COSECRV.P256)],
  ['P-521', curveKey('P-521', COSEALG.ES512, COSECRV.P521)],
  ['Ed25519', edwardsKey()],
  ['RSA', rsaKey()],
])(
  'a complete %s key is accepted; it is refused if a byte or a field is missing, or if a byte is added',
  (_kind, fields) => {
    const whole = encode(fields);

    expect(isCoseKey(whole)).toBe(true);
    for (let length = 0; length < whole.length; length += 1) expect(isCoseKey(whole.slice(0, length))).toBe(false);
    expect(isCoseKey(new Uint8Array([...whole, 0]))).toBe(false);
    for (const left of fields) expect(isCoseKey(encode(fields.filter((one) => one !== left)))).toBe(false);
  },
);

test('a key with a coordinate that is one byte too short is refused', () => {
  const cut = curveKey('P-256', COSEALG.ES256, COSECRV.P256).map(([label, value]): Fields[number] => [
    label,
    value instanceof Uint8Array ? value.slice(1) : value,
  ]);

  expect(isCoseKey(encode(cut))).toBe(false);
});
