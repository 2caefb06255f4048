import { expect, test } from 'vitest';
import { drawQrCode } from './qr-code.ts';

const TEXT = 'otpauth://totp/Harbour:ada?secret=JBSWY3DPEHPK3PXP&issuer=Harbour';

test('a quiet zone of four squares surrounds the QR code', () => {
  const lines = drawQrCode(TEXT, { isColoured: false });

  for (const line of [...lines.slice(0, 2), ...lines.slice(-2)]) expect(line).toMatch(/^[█▀]+$/);
  for (const line of lines) expect(line).toMatch(/^[█▀]{4}.*[█▀]{4}$/);
});

test('the QR code sets its own colours, so that a light terminal does not invert it', () => {
  const plain = drawQrCode(TEXT, { isColoured: false });
  const coloured = drawQrCode(TEXT, { isColoured: true });

  expect(coloured).toEqual(plain.map((line) => `\u001b[97;40m${line}\u001b[0m`));
});
