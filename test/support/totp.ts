import { generateSync } from 'otplib';
import { enableSecondFactor } from '../../src/factors/second-factor.ts';
import { newTotpSecret } from '../../src/lib/totp.ts';
import type { Client, Reply } from './client.ts';
import type { SeededUser, TestApp } from './start-app.ts';

export interface SecondFactorUser extends SeededUser {
  secret: string;
  recoveryCodes: string[];
}

/** Creates a user who must enter a code. The app must run with AUTHSVC_TWO_FA_ENABLE. */
export async function seedSecondFactorUser(app: TestApp, options = {}): Promise<SecondFactorUser> {
  const user = await app.seedUser(options);
  const secret = newTotpSecret();
  const { dataSealer } = app.services;
  const recoveryCodes = await enableSecondFactor({ ...app.change(), dataSealer }, user, secret);
  return { ...user, secret, recoveryCodes };
}

/** Returns the code of the time step that is `steps` from now, by the clock of the app. */
export function codeOf(app: TestApp, secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(app.clock.now() / 1000) + 30 * steps });
}

/** Returns several different codes that are wrong at the current and the neighbouring time steps. */
export function wrongCodes(app: TestApp, secret: string): string[] {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => codeOf(app, secret, steps)));
  return Array.from({ length: 9 }, (_, index) => String(index + 1).repeat(6)).filter((code) => !near.has(code));
}

/** Returns a code that is wrong at the current and the neighbouring time steps. */
export const wrongCode = (app: TestApp, secret: string): string => wrongCodes(app, secret)[0] ?? '';

/** Sends a code with the CSRF token of the page. */
export async function sendCode(client: Client, token: unknown, extra: Record<string, unknown> = {}): Promise<Reply> {
  const _csrf = await client.csrf('/authsvc/2fa');
  return client.post('/authsvc/api/verify-2fa', { token, _csrf, ...extra });
}
