import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LastLineReporter } from './test/support/reporter.ts';

const client = join(import.meta.dirname, 'packages/client/src');

export default defineConfig({
  // The sources of the client, as tsconfig.json has it, not what was built of them.
  resolve: {
    alias: [
      { find: /^authsvc-client$/, replacement: join(client, 'auth.ts') },
      { find: /^authsvc-client\/([\w-]+)$/, replacement: join(client, '$1.ts') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'packages/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts', 'test/support/chromium.ts'],
    reporters: ['default', new LastLineReporter()],
    // The provider of the tests warns that it is one for tests.
    onConsoleLog: (text) => !text.startsWith('oidc-provider WARNING'),
    pool: 'forks',
    maxWorkers: 2,
    // A test that fails now and then is a fault.
    retry: 0,
    testTimeout: process.env.CI ? 120_000 : 30_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
