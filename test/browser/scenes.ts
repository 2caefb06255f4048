import type { Page } from 'playwright-core';
import { seedProfile } from '../kit/device-login.ts';
import type { SeededUser, TestApp } from '../kit/start-app.ts';
import { type SecondFactorUser, seedSecondFactorUser, wrongCode } from '../kit/totp.ts';

/** A service with everything turned on that a page can show. */
export const SCENE_SETTINGS = {
  APP_NAME: 'Harbour',
  AUTHSVC_TWO_FA_ENABLE: 'true',
  CODEHOST_LOGIN_ENABLED: 'true',
  CODEHOST_APP_CLIENT_ID: 'client-of-the-scenes',
  CODEHOST_APP_CLIENT_SECRET: 'secret-of-the-scenes',
  WEBSSO_LOGIN_ENABLED: 'true',
  WEBSSO_CLIENT_ID: 'client-of-the-scenes',
  WEBSSO_CLIENT_SECRET: 'secret-of-the-scenes',
  env: 'dev',
  dbLogs: 'true',
  RATE_LIMITS: 'off',
};

/** The people and things that the scenes need. */
export interface World {
  app: TestApp;
  ada: SeededUser;
  grace: SeededUser;
  eve: SecondFactorUser;
  profileKey: string;
}

export async function createWorld(app: TestApp): Promise<World> {
  const ada = await app.seedUser({ username: 'ada', fullName: 'Ada Lovelace', role: 'superadmin' });
  const grace = await app.seedUser({ username: 'grace.hopper@example.com', fullName: 'Grace Brewster Murray Hopper' });
  const eve = await seedSecondFactorUser(app, { username: 'eve', fullName: 'Eve' });
  const profile = await seedProfile(app, { name: 'Harbour command line', apps: ['Harbour'] });
  return { app, ada, grace, eve, profileKey: profile.key };
}

/** A page in one of its states: its name, and the way there in a fresh browser. */
export interface Scene {
  name: string;
  show(page: Page, world: World): Promise<void>;
}

const open = async (page: Page, { app }: World, path: string): Promise<void> => {
  await page.goto(app.url + path);
};

async function signIn(page: Page, { app }: World, user: SeededUser): Promise<void> {
  const data = { username: user.username, password: user.password };
  const reply = await page.context().request.post(`${app.url}/authsvc/api/login`, { data });
  if (!reply.ok()) throw new Error(`the sign-in was refused: ${await reply.text()}`);
}

async function askFromProgram(page: Page, { app, profileKey }: World): Promise<string> {
  const data = { clientName: 'harbour-cli on build-server-7', profileKey };
  const reply = await page.context().request.post(`${app.url}/api/cli/device`, { data });
  return String((await reply.json()).user_code);
}

async function showSecondStep(page: Page, world: World): Promise<void> {
  await signIn(page, world, world.eve);
  await open(page, world, '/authsvc/2fa');
}

async function showAccounts(page: Page, world: World): Promise<void> {
  await signIn(page, world, world.grace);
  await signIn(page, world, world.ada);
  await open(page, world, '/authsvc/accounts');
}

async function showDeviceRequest(page: Page, world: World): Promise<void> {
  await signIn(page, world, world.ada);
  await open(page, world, `/authsvc/cli/device/${await askFromProgram(page, world)}`);
}

const pathScene = (name: string, path: string): Scene => ({
  name,
  show: (page, world) => open(page, world, path),
});

const signInScenes: Scene[] = [
  pathScene('login', '/authsvc/login'),
  {
    name: 'login-wrong-password',
    show: async (page, world) => {
      await open(page, world, '/authsvc/login');
      await page.locator('#username').fill('ada');
      await page.locator('#password').fill('not-the-password');
      await page.locator('#submit').click();
      await page.locator('#password-error:visible').waitFor();
    },
  },
  {
    name: 'login-empty',
    show: async (page, world) => {
      await open(page, world, '/authsvc/login');
      await page.locator('#submit').click();
      await page.locator('#username-error:visible').waitFor();
    },
  },
  {
    name: 'login-signed-in',
    show: async (page, world) => {
      await signIn(page, world, world.ada);
      await open(page, world, '/authsvc/login');
    },
  },
  { name: 'two-factor', show: showSecondStep },
  {
    name: 'two-factor-wrong-code',
    show: async (page, world) => {
      await showSecondStep(page, world);
      await page.locator('#token').fill(wrongCode(world.app, world.eve.secret));
      await page.locator('#token-error:visible').waitFor();
    },
  },
];

const accountScenes: Scene[] = [
  {
    name: 'session',
    show: async (page, world) => {
      await signIn(page, world, world.ada);
      await open(page, world, '/authsvc/test');
    },
  },
  {
    name: 'session-logout',
    show: async (page, world) => {
      await signIn(page, world, world.ada);
      await open(page, world, '/authsvc/test');
      await page.locator('#submit').click();
      await page.locator('dialog[open]').waitFor();
    },
  },
  { name: 'accounts', show: showAccounts },
  pathScene('accounts-empty', '/authsvc/accounts'),
];

const deviceScenes: Scene[] = [
  {
    name: 'device-code',
    show: async (page, world) => {
      await signIn(page, world, world.ada);
      await open(page, world, '/authsvc/cli/device');
    },
  },
  { name: 'device-request', show: showDeviceRequest },
  {
    name: 'device-approved',
    show: async (page, world) => {
      await showDeviceRequest(page, world);
      await page.locator('#approve').click();
      await page.locator('#approved:visible').waitFor();
    },
  },
  {
    name: 'device-unknown',
    show: async (page, world) => {
      await signIn(page, world, world.ada);
      await open(page, world, '/authsvc/cli/device/ZZZZ-ZZZZ');
    },
  },
];

const aboutScenes: Scene[] = [
  pathScene('info', '/authsvc/info'),
  {
    name: 'info-update',
    show: async (page, world) => {
      const { services } = world.app;
      const before = services.latestVersion;
      services.latestVersion = { get: () => '99.1.0' };
      await open(page, world, '/authsvc/info');
      services.latestVersion = before;
    },
  },
  pathScene('error-list', '/authsvc/ErrorCode'),
  {
    name: 'error-list-search',
    show: async (page, world) => {
      await open(page, world, '/authsvc/ErrorCode');
      await page.locator('#query').fill('session');
    },
  },
  pathScene('error-not-found', '/authsvc/nowhere'),
  pathScene('error-provider', '/authsvc/api/codehost/login/callback?code=x&state=y'),
];

async function showMonitor(page: Page, world: World, query = ''): Promise<void> {
  await signIn(page, world, world.ada);
  await page.context().request.get(`${world.app.url}/authsvc/accounts`);
  await open(page, world, `/authsvc/db${query}`);
}

const monitorScenes: Scene[] = [
  { name: 'query-monitor', show: showMonitor },
  {
    name: 'query-monitor-open',
    show: async (page, world) => {
      await showMonitor(page, world);
      await page.locator('#pause').click();
      await page.locator('summary', { hasText: 'sessions.insert' }).first().click();
    },
  },
  {
    name: 'query-monitor-none',
    show: async (page, world) => {
      await showMonitor(page, world, '?resetDone=1');
      await page.locator('#filter').fill('no such query');
    },
  },
];

/** Every page of the service in every state that looks different. */
export const scenes: readonly Scene[] = [
  ...signInScenes,
  ...accountScenes,
  ...deviceScenes,
  ...aboutScenes,
  ...monitorScenes,
];

/** The looks in which each scene is judged; a page takes them on without being loaded again. */
export const looks = [360, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, height: width === 360 ? 740 : 900, scheme })),
);
export type Look = (typeof looks)[number];

export async function putOn(page: Page, { width, height, scheme }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height });
}
