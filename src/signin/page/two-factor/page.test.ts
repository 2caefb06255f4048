import { expect, test } from 'vitest';
import { render, sampleOf } from '../../../../test/support/pages.ts';
import { twoFactorPage } from './page.ts';

test('the page of the second step offers to trust the browser only if browsers can be trusted', () => {
  expect(render(twoFactorPage, sampleOf(twoFactorPage, 'usual'))).toContain('name="trust_device"');
  expect(render(twoFactorPage, sampleOf(twoFactorPage, 'without-trust'))).not.toContain('trust_device"');
});

test('after a wrong code, the page says how many tries are left and what to do', () => {
  const wrong = sampleOf(twoFactorPage, 'wrong-code');

  const ofApp = render(twoFactorPage, wrong);
  const ofRecovery = render(twoFactorPage, { ...wrong, usesRecovery: true });

  expect(ofApp).toMatch(/is-pressing.*<span>2 tries left<\/span><span>Enter the latest code from your app/);
  expect(ofRecovery).toContain('<span>2 tries left</span><span>Check it for typing errors.');
});
