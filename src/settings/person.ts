import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { SettingsError } from './settings-error.ts';

type Environment = Record<string, string | undefined>;

function homeFolder(): string {
  try {
    return homedir();
  } catch {
    throw new SettingsError(
      'This user has no home folder, because HOME is not set and the system has no entry for it. Set HOME, or XDG_CONFIG_HOME, to a folder in which the token is stored.',
    );
  }
}

/**
 * Returns the folder in which this program keeps the files of the person who runs it.
 *
 * @throws SettingsError if this user has no home folder
 * @see XDG Base Directory Specification
 */
export function configFolder(env: Environment = process.env): string {
  const { XDG_CONFIG_HOME: given } = env;
  return join(given && isAbsolute(given) ? given : join(homeFolder(), '.config'), 'authsvc');
}

/**
 * Returns who runs a command, according to the system: the user of the process and, after sudo, the user who called
 * sudo. If the user of the process has no name, the numeric id is used.
 */
export function operatorName(userName: () => string, env: Environment = process.env): string {
  const { SUDO_USER: before } = env;
  const user = nameOr(userName, `uid ${process.getuid?.() ?? 'unknown'}`);
  return before && before !== user ? `${user} (${before} by sudo)` : user;
}

function nameOr(name: () => string, otherwise: string): string {
  try {
    return name();
  } catch {
    return otherwise;
  }
}

/** Returns whether the environment variables indicate a screen on which a browser can open. */
export function hasDisplay(env: Environment = process.env, platform: string = process.platform): boolean {
  if (env.SSH_CONNECTION || env.SSH_TTY || env.CI) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}
