// Takes pictures of whole journeys of people through the service, step by step, in English and German, on a phone and on
// a desktop, in light and dark: npm run screenshots:journeys [NAME…]. Writes them to screenshots/journeys, one sheet with
// the four looks for each step. With names, takes only those journeys again.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { parseEmail } from '../src/lib/email-address.ts';
import { changeUser } from '../src/users/change-user.ts';
import { setPasswordHash } from '../src/users/queries.ts';
import { inviteUser } from '../src/welcome/offer-link.ts';
import { looks, putOn, type Theme } from '../test/browser/scenes.ts';
import { findChromium, launchChromium } from '../test/support/chromium.ts';
import { type MailServer, startMailServer } from '../test/support/mail-server.ts';
import { startOAuthServer } from '../test/support/oauth-server.ts';
import { PASSWORD, startApp, type TestApp } from '../test/support/start-app.ts';
import { codeOf } from '../test/support/totp.ts';
import { addAuthenticator } from '../test/support/virtual-authenticator.ts';

const folder = join(import.meta.dirname, '../screenshots/journeys');
const GAP = 24;
const phone: Theme = { width: 360, height: 740, scheme: 'light' };
const locales = ['en', 'de'] as const;

interface Stage {
  app: TestApp;
  mail: MailServer;
  page: Page;
  /** Takes pictures of the current page in four looks. */
  shot(step: string): Promise<void>;
}

type Journey = (stage: Stage) => Promise<void>;

async function signIn({ page }: Stage, username: string, password = PASSWORD): Promise<void> {
  await page.locator('#username').fill(username);
  await page.locator('#password').fill(password);
  await page.locator('#submit').click();
}

/** Waits for a mail with a link that contains this path, and returns the newest such link. */
async function linkIn({ mail, page }: Stage, path: string): Promise<string> {
  for (;;) {
    const found = mail.mails.map(({ text }) => new RegExp(`${path}[\\w-]+`).exec(text)?.[0]).findLast(Boolean);
    if (found) return found;
    await page.waitForTimeout(100);
  }
}

const submitOf = (page: Page, field: string) =>
  page
    .locator('form', { has: page.locator(field) })
    .locator('button:not([type="button"])')
    .first();

async function invitationToPasskey(stage: Stage): Promise<void> {
  const { app, page, shot } = stage;
  const { settings, outbox } = app.services;
  const needs = { ...app.change(), settings, outbox, baseUrl: app.services.baseUrl() };
  const { link } = await inviteUser(needs, { user: { name: 'ada', role: 'normaluser' }, hours: 72, isSent: false });
  await addAuthenticator(page);
  await page.goto(new URL(link ?? '').pathname);
  await shot('1-invitation');
  await page.locator('#passkey').click();
  await page.waitForURL('**/authsvc/');
  await page.goto('/authsvc/account/passkeys');
  await shot('2-passkey');
  await page.goto('/authsvc/logout');
  await shot('3-sign-out');
}

async function forgottenPassword(stage: Stage): Promise<void> {
  const { app, page, shot } = stage;
  const { username } = await app.seedUser({ username: 'ada', fullName: 'Ada Lovelace' });
  await changeUser(app.change(), username, { email: parseEmail('ada@example.com') });
  await page.goto('/authsvc/login');
  await signIn(stage, username, 'wrong-horse-1');
  await page.locator('#password-error:visible').waitFor();
  await shot('1-wrong-password');
  await page.goto('/authsvc/forgot');
  await shot('2-forgotten');
  await page.locator('#username').fill(username);
  await page.locator('#submit').click();
  await shot('3-on-its-way');
  await page.goto(await linkIn(stage, '/authsvc/welcome/'));
  await shot('4-link');
  await page.locator('#new-password').fill('short');
  await page.locator('#submit').click();
  await page.locator('#new-password-error:visible').waitFor();
  await shot('5-too-short');
  await page.locator('#new-password').fill('another-horse-8');
  await page.locator('#submit').click();
  await page.waitForURL('**/authsvc/');
  await page.goto('/authsvc/account/activity');
  await shot('6-activity');
}

/** Sets up an authenticator app on the page of the second factor, and returns its secret. */
async function setUpApp({ app, page, shot }: Stage, step: string): Promise<string[]> {
  await page.locator('#token').waitFor();
  await shot(`${step}-qr-code`);
  const secret = (await page.locator('#secret').textContent()) ?? '';
  await page.locator('#token').fill(codeOf(app, secret));
  await submitOf(page, '#token').click();
  await page.locator('#codes').waitFor();
  await shot(`${step}-recovery-codes`);
  return ((await page.locator('#codes').textContent()) ?? '').trim().split('\n');
}

async function lostPhone(stage: Stage): Promise<void> {
  const { app, page, shot } = stage;
  const { username } = await app.seedUser({ username: 'ada', fullName: 'Ada Lovelace' });
  await page.goto('/authsvc/login?redirect=%2Fauthsvc%2Faccount%2Ftwo-step');
  await signIn(stage, username);
  await page.waitForURL('**/authsvc/account/two-step');
  await shot('1-off');
  await page.locator('form[action="/authsvc/account/two-step"] button').first().click();
  const [code = ''] = await setUpApp(stage, '2');
  await page.context().clearCookies();
  await page.goto('/authsvc/login?redirect=%2Fauthsvc%2Faccount%2Ftwo-step');
  await signIn(stage, username);
  await page.waitForURL('**/authsvc/2fa');
  await shot('3-second-step');
  await page.locator('#recovery').click();
  await shot('4-recovery-code');
  await page.locator('#token').fill(code);
  await page.locator('#submit').click();
  await page.waitForURL('**/authsvc/account/two-step');
  await shot('5-signed-in');
  await page.locator('form[action="/authsvc/account/two-step"] button').first().click();
  await setUpApp(stage, '6');
}

async function strangersSession(stage: Stage): Promise<void> {
  const { app, page, shot } = stage;
  const user = await app.seedUser({ username: 'ada', fullName: 'Ada Lovelace' });
  const stranger = app.client();
  stranger.headers['user-agent'] = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';
  await stranger.login(user);
  await page.goto('/authsvc/login?redirect=%2Fauthsvc%2Faccount%2Fsessions');
  await signIn(stage, user.username);
  await page.waitForURL('**/authsvc/account/sessions');
  await shot('1-sessions');
  await page.locator('form:has(input[name="ref"]) button').last().click();
  await page.waitForURL('**/sessions?done=*');
  await shot('2-ended');
}

async function linkAndUnlink(stage: Stage): Promise<void> {
  const { app, page, shot } = stage;
  const user = await app.seedUser({ username: 'ada', fullName: 'Ada Lovelace' });
  await page.goto('/authsvc/login?redirect=%2Fauthsvc%2Faccount%2Fconnections');
  await signIn(stage, user.username);
  await page.waitForURL('**/authsvc/account/connections');
  await shot('1-not-connected');
  await page.locator('form[action="/authsvc/account/connections/link"] button').first().click();
  await page.locator('form[action="/authsvc/account/connections/unlink"]').waitFor({ state: 'attached' });
  await shot('2-connected');
  await page.locator('details:has(form[action="/authsvc/account/connections/unlink"]) > summary').click();
  await shot('3-question');
  await page.locator('form[action="/authsvc/account/connections/unlink"] button').click();
  await page.waitForURL('**/connections?done=unlinked');
  await shot('4-disconnected');
}

async function lastWayIn(stage: Stage): Promise<void> {
  const { app, page, shot } = stage;
  const user = await app.seedUser({ username: 'ada', fullName: 'Ada Lovelace' });
  await addAuthenticator(page);
  await page.goto('/authsvc/login?redirect=%2Fauthsvc%2Faccount%2Fpasskeys');
  await signIn(stage, user.username);
  await page.waitForURL('**/authsvc/account/passkeys');
  await shot('1-none');
  await page.locator('#passkey').click();
  await page.waitForURL('**/passkeys?done=passkeyAdded');
  await shot('2-added');
  await setPasswordHash.run(app.services.database, { id: user.id, hash: '' });
  await page.goto('/authsvc/account/passkeys');
  await page.locator('details:has(form[action="/authsvc/account/passkeys/remove"]) > summary').click();
  await shot('3-question');
  await page.locator('form[action="/authsvc/account/passkeys/remove"] button').click();
  await page.locator('.notice[role="alert"]:visible').waitFor();
  await shot('4-refused');
}

const journeys: Readonly<Record<string, Journey>> = {
  'invitation-to-passkey': invitationToPasskey,
  'forgotten-password': forgottenPassword,
  'lost-phone': lostPhone,
  'strangers-session': strangersSession,
  'link-and-unlink': linkAndUnlink,
  'last-way-in': lastWayIn,
};

/** Writes several pictures side by side into one file. */
async function toSheet(pictures: readonly Buffer[], path: string): Promise<void> {
  const sizes = await Promise.all(pictures.map((picture) => sharp(picture).metadata()));
  const height = Math.max(...sizes.map((size) => size.height));
  const lefts = sizes.map((_size, at) => sizes.slice(0, at).reduce((sum, { width }) => sum + width + GAP, 0));
  const width = sizes.reduce((sum, size) => sum + size.width + GAP, -GAP);
  await sharp({ create: { width, height, channels: 3, background: '#888' } })
    .composite(pictures.map((input, at) => ({ input, left: lefts[at] ?? 0, top: 0 })))
    .png()
    .toFile(path);
}

/** Takes a picture of the whole page in each look. */
async function takeLooks(page: Page): Promise<Buffer[]> {
  const pictures: Buffer[] = [];
  for (const look of looks) {
    await putOn(page, look);
    await page.mouse.move(0, 0);
    // Waits until the browser has painted the new colours and sizes.
    await page.waitForTimeout(200);
    pictures.push(await page.screenshot({ fullPage: (await page.locator('dialog[open]').count()) === 0 }));
  }
  // The next page must be loaded in the size of a phone, because its script then scrolls to the current tab.
  await putOn(page, phone);
  return pictures;
}

async function travel(browser: Browser, name: string, locale: string): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.push(stop) };
  const mail = await startMailServer();
  stops.push(mail.close);
  try {
    const codehost = await startOAuthServer(owner);
    const more = { APP_NAME: 'Harbour', AUTHSVC_TWO_FA_ENABLE: 'true', RATE_LIMITS: 'off', env: 'dev' };
    const settings = { ...codehost.settings, ...mail.settings, ...more };
    const app = await startApp(owner, { database: 'sqlite', settings });
    const context = await browser.newContext({ baseURL: app.services.baseUrl(), locale, timezoneId: 'UTC' });
    stops.push(() => context.close());
    // On a busy machine, a browser is slow.
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    await putOn(page, phone);
    const shot = async (step: string) => {
      await toSheet(await takeLooks(page), join(folder, `${name}-${step}-${locale}.png`));
      process.stdout.write(`${name}-${step}-${locale}.png\n`);
    };
    await journeys[name]?.({ app, mail, page, shot });
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function main(): Promise<number> {
  const chromium = await findChromium();
  if (chromium === undefined) return 1;
  const names = process.argv.slice(2);
  const chosen = Object.keys(journeys).filter((name) => names.length === 0 || names.includes(name));
  const browser = await launchChromium(chromium);
  try {
    if (names.length === 0) await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    for (const name of chosen) for (const locale of locales) await travel(browser, name, locale);
    return chosen.length > 0 ? 0 : 1;
  } finally {
    await browser.close();
  }
}

const usage = `npm run screenshots:journeys [NAME…]

Takes pictures of journeys into screenshots/journeys. Without a name, it takes all of them.

Journeys:
${Object.keys(journeys)
  .map((name) => `  ${name}`)
  .join('\n')}
`;

if (process.argv.includes('--help')) process.stdout.write(usage);
else process.exitCode = await main();
