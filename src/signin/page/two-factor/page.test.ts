import { expect, test } from 'vitest';
import { render, sampleOf } from '../../../../test/support/pages.ts';
import { twoFactorPage } from './page.ts';

test('the page of the second step offers to trust the browser only if browsers can be trusted', () => {
  expect(render(twoFactorPage, sampleOf(twoFactorPage, 'usual'))).toContain('name="trust_device"');
  expect(render(twoFactorPage, sampleOf(twoFactorPage, 'without-trust'))).not.toContain('trust_device"');
});
