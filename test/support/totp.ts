import { generateSync } from 'otplib';
import { enableSecondFactor } from '../../src/factors/second-factor.ts';
import { newTotpSecret } from '../../src/lib/totp.ts';
import type { Client, Reply } from './client.ts';
import type { SeededUser, TestApp } from './start-app.ts';

export interface SecondFactorUser extends SeededUser {
  secret: string;
  recoveryCodes: string[];
}

/** A user who is asked for a code. The app must run with AUTHSVC_TWO_FA_ENABLE. */
export async function seedSecondFactorUser(app: TestApp, options = {}): Promise<SecondFactorUser> {
  const user = await app.seedUser(options);
  const secret = newTotpSecret();
  const { sealer } = app.services;
  const recoveryCodes = await enableSecondFactor({ ...app.change(), sealer }, user, secret);
  return { ...user, secret, recoveryCodes };
}

/** The code of the step that lies `steps` from now, by the clock of the app. */
export function codeOf(app: TestApp, secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(app.clock.now() / 1000) + 30 * steps });
}

/** A code that counts at none of the neighbouring steps. */
export function wrongCode(app: TestApp, secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => codeOf(app, secret, steps)));
  return ['111111', '222222', '333333', '444444', '555555', '666666'].find((code) => !near.has(code)) ?? '777777';
}

/** Sends a code with the token of the page. */
export async function sendCode(client: Client, token: unknown, extra: Record<string, unknown> = {}): Promise<Reply> {
  const _csrf = await client.csrf('/authsvc/2fa');
  return client.post('/authsvc/api/verify-2fa', { token, _csrf, ...extra });
}
