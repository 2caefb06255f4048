import type { Page } from 'playwright-core';
import { consoleUserPage } from '../../src/admin/page/console-user/page.ts';
import { toTotpDraft } from '../../src/factors/schemas.ts';
import { inlineStyleHeaders, securityHeaders } from '../../src/http/security-headers.ts';
import { accountPage } from '../../src/my-account/page/account/page.ts';
import { allPages } from '../../src/pages.ts';
import { enrolPage } from '../../src/signin/page/enrol/page.ts';
import type { Page as ServicePage } from '../../src/ui/define-page.ts';
import { pickLanguage } from '../../src/ui/texts/languages.ts';
import { seedProfile } from '../support/device-login.ts';
import { render, sampleOf } from '../support/pages.ts';
import { partsPage } from '../support/parts-page/page.ts';
import type { SeededUser, TestApp } from '../support/start-app.ts';
import { whileSessionsAreAway } from '../support/table-away.ts';
import { type SecondFactorUser, seedSecondFactorUser, wrongCode, wrongCodes } from '../support/totp.ts';

/** The settings of a service with every feature that a page can show. */
export const SCENE_SETTINGS = {
  APP_NAME: 'Harbour',
  LOGIN_REDIRECT_URL: '/dashboard',
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

/** The users and things that the scenes need. */
export interface World {
  app: TestApp;
  ada: SeededUser;
  grace: SeededUser;
  eve: SecondFactorUser;
  /** A user who may not use the application. */
  stranger: SeededUser;
  /**
   * Users for the scenes that enter wrong codes. Each scene takes a user of its own, because a user has few attempts.
   */
  guessers: SecondFactorUser[];
  profileKey: string;
}

export async function createWorld(app: TestApp): Promise<World> {
  const ada = await app.seedUser({ username: 'ada', fullName: 'Ada Lovelace', role: 'superadmin' });
  const grace = await app.seedUser({ username: 'grace.hopper@example.com', fullName: 'Grace Brewster Murray Hopper' });
  const eve = await seedSecondFactorUser(app, { username: 'eve', fullName: 'Eve' });
  const stranger = await app.seedUser({ username: 'stranger', apps: ['another'] });
  const guessers: SecondFactorUser[] = [];
  for (const username of ['mary', 'katherine', 'dorothy', 'annie']) {
    guessers.push(await seedSecondFactorUser(app, { username }));
  }
  const profile = await seedProfile(app, { name: 'Harbour command line', apps: ['Harbour'] });
  return { app, ada, grace, eve, stranger, guessers, profileKey: profile.key };
}

function takeGuesser({ guessers }: World): SecondFactorUser {
  const guesser = guessers.shift();
  if (!guesser) throw new Error('the scenes need more people who enter wrong codes: add a name in createWorld');
  return guesser;
}

/** A page in one of its states: the name of the state, and the function that opens it in a new browser. */
export interface Scene {
  name: string;
  /** Set if the browser runs no scripts. The test can then evaluate nothing in the page. */
  isScriptless?: true;
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

interface ProgramCodes {
  user_code: string;
  device_code: string;
}

async function askFromProgram(page: Page, { app, profileKey }: World): Promise<ProgramCodes> {
  const data = { clientName: 'harbour-cli on build-server-7', profileKey };
  const reply = await page.context().request.post(`${app.url}/api/cli/device`, { data });
  return reply.json();
}

async function showSecondStep(page: Page, world: World): Promise<void> {
  await signIn(page, world, world.eve);
  await open(page, world, '/authsvc/2fa');
}

/** Enters a code and waits for the reply. The page submits six digits by itself. */
async function enterCode(page: Page, code: string): Promise<void> {
  const answered = page.waitForResponse('**/authsvc/api/verify-2fa');
  await page.locator('#token').fill(code);
  if (code.length > 6) await page.locator('#submit').click();
  await answered;
  await page.locator('#submit.is-busy').waitFor({ state: 'detached' });
}

/** Returns whether the script of a page opens another page at once. */
const leavesAtOnce = ({ name }: ServicePage): boolean => name === 'form-post';

const replyWith = (page: Page, path: string, body: object) =>
  page.route(`**${path}`, (route) => route.fulfill({ json: { success: true, ...body } }));

/** Answers the requests of the enrolment page's script. */
async function answerEnrolment(page: Page, { app, ada }: World): Promise<void> {
  const draft = { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', expiresAt: app.clock.now() };
  const shown = toTotpDraft(draft, { application: app.services.settings, username: ada.username });
  await replyWith(page, '/authsvc/api/2fa/enrol', shown);
  const codes = Array.from({ length: 10 }, (_none, at) => `ABCDE-2345${at}`);
  await replyWith(page, '/authsvc/api/verify-2fa', { message: 'Login successful', recovery_codes: codes });
}

/** Returns the language of the browser. */
const languageOf = async (page: Page) => pickLanguage(await page.evaluate<string>('navigator.language'));

/** Shows a page with its sample data, in the form in which the service sends it to a browser. */
async function showSample(page: Page, world: World, shown: ServicePage, data: object): Promise<void> {
  const { app } = world;
  const path = `/authsvc/sample-of-${shown.name}`;
  const language = await languageOf(page);
  const isOfService = allPages.includes(shown);
  const body = isOfService ? app.services.renderer.page(shown, data, { language }) : render(shown, data, { language });
  const settings = { IS_DEPLOYED: false };
  const inlineStyle = app.services.renderer.inlineStyleOf(shown);
  const headers = {
    ...securityHeaders(settings),
    ...(inlineStyle === undefined ? {} : inlineStyleHeaders(settings, inlineStyle)),
  };
  if (leavesAtOnce(shown)) await turnOffScripts(page);
  if (shown.name === enrolPage.name) await answerEnrolment(page, world);
  await page.route(`**${path}`, (route) =>
    route.fulfill({ status: 200, contentType: 'text/html; charset=utf-8', headers, body }),
  );
  await page.goto(app.url + path);
  if (shown.name === enrolPage.name) await page.locator('#qr-code:visible, #done:visible').waitFor();
}

async function showAccounts(page: Page, world: World): Promise<void> {
  await signIn(page, world, world.grace);
  await signIn(page, world, world.ada);
  await open(page, world, '/authsvc/accounts');
}

async function showDeviceRequest(page: Page, world: World): Promise<ProgramCodes> {
  await signIn(page, world, world.ada);
  const codes = await askFromProgram(page, world);
  await open(page, world, `/authsvc/cli/device/${codes.user_code}`);
  return codes;
}

async function approveDeviceRequest(page: Page, world: World): Promise<ProgramCodes> {
  const codes = await showDeviceRequest(page, world);
  await page.locator('#approve').click();
  await page.locator('#approved:visible').waitFor();
  return codes;
}

async function turnOffScripts(page: Page): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  await browser.send('Emulation.setScriptExecutionDisabled', { value: true });
}

const pathScene = (name: string, path: string): Scene => ({
  name,
  show: (page, world) => open(page, world, path),
});

const signInScenes: Scene[] = [
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
    name: 'login-not-allowed',
    show: async (page, world) => {
      await open(page, world, '/authsvc/login');
      await page.locator('#username').fill(world.stranger.username);
      await page.locator('#password').fill(world.stranger.password);
      await page.locator('#submit').click();
      await page.locator('#form-error:visible').waitFor();
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
    name: 'login-busy',
    show: async (page, world) => {
      await page.route('**/authsvc/api/login', () => undefined);
      await open(page, world, '/authsvc/login');
      await page.locator('#username').fill('ada');
      await page.locator('#password').fill('a-long-password');
      await page.locator('#submit').click();
      await page.locator('#submit.is-busy').waitFor();
    },
  },
  {
    name: 'login-caps-lock',
    show: async (page, world) => {
      await open(page, world, '/authsvc/login');
      await page.locator('#username').fill('ada');
      await page.locator('#password').pressSequentially('a-long-password');
      await page.locator('[data-reveal=password]').click();
      await page.locator('#password').dispatchEvent('keyup', { modifierCapsLock: true });
    },
  },
  {
    name: 'login-no-script',
    isScriptless: true,
    show: async (page, world) => {
      await turnOffScripts(page);
      await open(page, world, '/authsvc/login');
    },
  },
  {
    name: 'login-logged-out',
    show: async (page, world) => {
      await signIn(page, world, world.ada);
      await open(page, world, '/authsvc/test');
      await page.locator('#submit').click();
      await page.locator('dialog button[value=confirm]').click();
      await page.locator('#notice:visible').waitFor();
    },
  },
  {
    name: 'login-begin-again',
    show: async (page, world) => {
      const user = takeGuesser(world);
      await signIn(page, world, user);
      await open(page, world, '/authsvc/2fa');
      for (const code of wrongCodes(world.app, user.secret).slice(0, 5)) await enterCode(page, code);
      await page.waitForURL('**/authsvc/login**');
      await page.locator('#notice:visible').waitFor();
    },
  },
  {
    name: 'two-factor-recovery-chosen',
    show: async (page, world) => {
      await showSecondStep(page, world);
      await page.locator('#recovery').click();
    },
  },
  {
    name: 'two-factor-recovery-wrong',
    show: async (page, world) => {
      await showSecondStep(page, world);
      await page.locator('#recovery').click();
      await enterCode(page, 'ABCDE-23456');
      await page.locator('#token-error:visible').waitFor();
    },
  },
  {
    name: 'two-factor-code-refused',
    show: async (page, world) => {
      await showSecondStep(page, world);
      await enterCode(page, wrongCode(world.app, world.eve.secret));
      await page.locator('#token-error:visible').waitFor();
    },
  },
  {
    name: 'two-factor-tries-left',
    show: async (page, world) => {
      const user = takeGuesser(world);
      await signIn(page, world, user);
      await open(page, world, '/authsvc/2fa');
      for (const code of wrongCodes(world.app, user.secret).slice(0, 3)) await enterCode(page, code);
      await page.locator('#token-error:visible').waitFor();
    },
  },
];

const enrolmentScenes: Scene[] = [
  {
    name: 'enrol-codes-after-code',
    show: async (page, world) => {
      await showSample(page, world, enrolPage, sampleOf(enrolPage, 'usual'));
      await page.locator('#token').fill('123456');
      await page.locator('#done:visible').waitFor();
    },
  },
];

const accountScenes: Scene[] = [
  {
    name: 'test-details',
    show: async (page, world) => {
      await signIn(page, world, world.ada);
      await open(page, world, '/authsvc/test');
      await page.locator('summary').click();
    },
  },
  {
    name: 'test-logout',
    show: async (page, world) => {
      await signIn(page, world, world.ada);
      await open(page, world, '/authsvc/test');
      await page.locator('#submit').click();
      await page.locator('dialog[open]').waitFor();
    },
  },
  {
    name: 'test-no-script',
    isScriptless: true,
    show: async (page, world) => {
      await signIn(page, world, world.ada);
      await turnOffScripts(page);
      await open(page, world, '/authsvc/test');
    },
  },
  {
    name: 'accounts-no-script',
    isScriptless: true,
    show: async (page, world) => {
      await turnOffScripts(page);
      await showAccounts(page, world);
    },
  },
  {
    name: 'accounts-logged-out',
    show: async (page, world) => {
      await showAccounts(page, world);
      await page.locator('#logout').click();
      await page.locator('#logout-dialog button[value=confirm]').click();
      await page.locator('#notice:visible').waitFor();
    },
  },
  {
    name: 'accounts-logout-all',
    show: async (page, world) => {
      await showAccounts(page, world);
      await page.locator('#logout-all').click();
      await page.locator('dialog[open]').waitFor();
    },
  },
];

/** Opens the confirmation dialog with the given methods. */
const confirmationScene = (name: string, ways: string): Scene => ({
  name,
  show: async (page, world) => {
    const shown = accountPage.samples((text) => text)['connections-none'];
    if (!shown) throw new Error('the account has no page of connections');
    const data = { ...shown, confirmation: { ways: ways.split(' ').filter(Boolean), seconds: 0 } };
    await showSample(page, world, accountPage, data);
    await page.evaluate(`(() => {
      const form = document.createElement('form');
      form.dataset.confirm = '';
      document.querySelector('main').append(form);
      form.requestSubmit();
    })()`);
    await page.locator('#confirmation[open]').waitFor();
  },
});

const confirmationScenes: Scene[] = [
  confirmationScene('confirmation-password', 'passkey password'),
  confirmationScene('confirmation-code', 'totp'),
  confirmationScene('confirmation-passkey', 'passkey'),
  confirmationScene('confirmation-elsewhere', 'codehost websso'),
  confirmationScene('confirmation-never', ''),
];

/** Opens the page of a user in the console, and then acts as a superadmin does there. */
const consoleScene = (name: string, act: (page: Page) => Promise<unknown>): Scene => ({
  name: `console-${name}`,
  show: async (page, world) => {
    const data = consoleUserPage.samples((text) => text).full;
    if (!data) throw new Error('the console has no page of a user');
    await showSample(page, world, consoleUserPage, data);
    await act(page);
  },
});

const consoleScenes: Scene[] = [
  consoleScene('edit', (page) => page.locator('summary').first().click()),
  consoleScene('missing', async (page) => {
    const connecting = page.locator('details', { has: page.locator('[data-change$="/connections"]') });
    await connecting.locator('summary').click();
    await connecting.locator('button[type="submit"]').click();
    await page.locator('#connect-account-error:visible').waitFor();
  }),
  consoleScene('remove', async (page) => {
    await page.locator('[data-final][data-next] button').click();
    await page.locator('#final-dialog[open]').waitFor();
  }),
  consoleScene('once', async (page) => {
    await page.route('**/reset', (route) =>
      route.fulfill({ json: { success: true, link: `https://auth.example.com/authsvc/welcome/${'a1B2'.repeat(11)}` } }),
    );
    await page.locator('summary').nth(1).click();
    await page.locator('[data-change$="/reset"] button').click();
    await page.locator('#once-dialog[open]').waitFor();
  }),
  consoleScene('conflict', async (page) => {
    const current = {
      full_name: 'Countess of Lovelace',
      role: 'superadmin',
      allowed_apps: ['authsvc'],
      is_active: false,
    };
    await page.route('**/users/7', (route) =>
      route.fulfill({ status: 409, json: { success: false, code: 'CHANGED_MEANWHILE', message: 'x', current } }),
    );
    await page.locator('summary').first().click();
    await page.locator('#edit-full-name').fill('Ada');
    await page.locator('[data-change^="PATCH"] button').first().click();
    await page.locator('#conflict:visible').waitFor();
  }),
];

const partsScenes: Scene[] = [
  {
    name: 'parts-dialog',
    show: async (page, world) => {
      await showSample(page, world, partsPage, { username: 'ada' });
      await page.evaluate("document.querySelector('#remove-dialog').showModal()");
    },
  },
];

const deviceScenes: Scene[] = [
  { name: 'device-just-approved', show: async (page, world) => void (await approveDeviceRequest(page, world)) },
  {
    name: 'device-just-denied',
    show: async (page, world) => {
      await showDeviceRequest(page, world);
      await page.locator('#deny').click();
      await page.locator('#denied:visible').waitFor();
    },
  },
];

const aboutScenes: Scene[] = [
  pathScene('error-list', '/authsvc/ErrorCode'),
  {
    name: 'error-list-search',
    show: async (page, world) => {
      await open(page, world, '/authsvc/ErrorCode');
      await page.locator('#query').fill('session');
    },
  },
  {
    name: 'error-list-none',
    show: async (page, world) => {
      await open(page, world, '/authsvc/ErrorCode');
      await page.locator('#query').fill('zebra');
    },
  },
];

async function showMonitor(page: Page, world: World, query = '?limit=12'): Promise<void> {
  await signIn(page, world, world.ada);
  await page.context().request.get(`${world.app.url}/authsvc/accounts`);
  await open(page, world, `/authsvc/db${query}`);
}

/** Sends a request while a table is missing. */
async function failOneQuery(page: Page, world: World): Promise<void> {
  await signIn(page, world, world.ada);
  await whileSessionsAreAway(world.app, () => page.context().request.get(`${world.app.url}/authsvc/api/checkSession`));
}

const monitorScenes: Scene[] = [
  {
    name: 'query-monitor-reset',
    show: async (page, world) => {
      await showMonitor(page, world);
      await page.locator('#reset').click();
      await page.locator('.monitor-notice[role=status]').waitFor();
      await page.locator('#tools:visible').waitFor();
      await page.locator('#pause').click();
    },
  },
  {
    name: 'query-monitor-failures',
    show: async (page, world) => {
      await failOneQuery(page, world);
      await showMonitor(page, world, '?limit=50');
      await page.locator('#failures').click();
    },
  },
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
      await showMonitor(page, world);
      await page.locator('#filter').fill('no such query');
    },
  },
];

/** Every page in each state of its sample data, and the page of the shared parts. */
const sampleScenes: Scene[] = [...allPages, partsPage].flatMap((shown) =>
  Object.keys(shown.samples((text) => text)).map((state) => ({
    name: `${shown.name}-${state}`,
    ...(leavesAtOnce(shown) ? { isScriptless: true as const } : {}),
    show: async (page: Page, world: World) => {
      const language = await languageOf(page);
      await showSample(page, world, shown, sampleOf(shown, state, { language }));
    },
  })),
);

/**
 * Every page of the service in every state that looks different. Some states come from sample data, others from actions
 * of a person.
 */
export const scenes: readonly Scene[] = [
  ...sampleScenes,
  ...signInScenes,
  ...enrolmentScenes,
  ...accountScenes,
  ...partsScenes,
  ...confirmationScenes,
  ...consoleScenes,
  ...deviceScenes,
  ...aboutScenes,
  ...monitorScenes,
];

/** The looks in which each scene is checked. A page can change between them without being loaded again. */
export const looks = [360, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, height: width === 360 ? 740 : 900, scheme })),
);
export type Theme = (typeof looks)[number];

export async function putOn(page: Page, { width, height, scheme }: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width, height });
}
