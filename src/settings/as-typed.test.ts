import { afterEach, expect, test, vi } from 'vitest';
import { asTyped } from './as-typed.ts';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['', 'authsvc migrate'],
  ['exec', 'npx authsvc migrate'],
  ['start', 'npx authsvc migrate'],
])('with npm_command=%s a command is typed as %s', (npmCommand, typed) => {
  vi.stubEnv('npm_command', npmCommand);

  expect(asTyped('migrate')).toBe(typed);
});
