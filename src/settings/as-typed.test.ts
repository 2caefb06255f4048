import { expect, test } from 'vitest';
import { asTyped } from './as-typed.ts';

test.each([
  ['/srv/app/node_modules/.bin/authsvc', 'exec', 'npx authsvc migrate'],
  ['/srv/app/dist/main.js', undefined, 'node dist/main.js migrate'],
  ['/srv/app/dist/main.js', 'start', 'node dist/main.js migrate'],
  ['/srv/app/sp ace/dist/main.js', undefined, 'node "sp ace/dist/main.js" migrate'],
  ['/usr/local/bin/authsvc', undefined, 'authsvc migrate'],
  ['/usr/local/bin/authsvc', 'run-script', 'authsvc migrate'],
])('with the script %s and npm_command=%s, the command is shown as %s', (file, npmCommand, typed) => {
  expect(asTyped('migrate', { file, env: { npm_command: npmCommand }, folder: '/srv/app' })).toBe(typed);
});
