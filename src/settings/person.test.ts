import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configFolder, hasDisplay, operatorName } from './person.ts';

test("the folder for a person's files is in XDG_CONFIG_HOME if that is an absolute path, and else in ~/.config", () => {
  expect(configFolder({ XDG_CONFIG_HOME: '/somewhere' })).toBe('/somewhere/authsvc');
  expect(configFolder({ XDG_CONFIG_HOME: 'relative' })).toBe(join(homedir(), '.config/authsvc'));
  expect(configFolder({})).toBe(join(homedir(), '.config/authsvc'));
});

test('a browser is opened only if there is a screen', () => {
  expect(hasDisplay({ DISPLAY: ':0' }, 'linux')).toBe(true);
  expect(hasDisplay({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe(true);
  expect(hasDisplay({}, 'darwin')).toBe(true);
  expect(hasDisplay({}, 'linux')).toBe(false);
  expect(hasDisplay({ DISPLAY: ':10', SSH_CONNECTION: '10.0.0.1' }, 'linux')).toBe(false);
  expect(hasDisplay({ CI: 'true' }, 'darwin')).toBe(false);
});

test('an operator is the user of the process and, after sudo, also the user who called sudo', () => {
  expect(operatorName(() => 'authsvc', {})).toBe('authsvc');
  expect(operatorName(() => 'root', { SUDO_USER: 'ada' })).toBe('root (ada by sudo)');
  expect(operatorName(() => 'ada', { SUDO_USER: 'ada' })).toBe('ada');
  const nameless = () => {
    throw new Error('no such user');
  };
  expect(operatorName(nameless, {})).toMatch(/^uid \d+$/);
});
