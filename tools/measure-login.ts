// Measures the login page in a real Chromium with a processor that is slowed down fourfold and a new profile each time.
// Writes the figures into docs/performance.md: npm run measure:login.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Browser, CDPSession } from 'playwright-core';
import { findChromium, launchChromium } from '../test/support/chromium.ts';
import { startApp } from '../test/support/start-app.ts';
import { table } from './docs/markdown.ts';

const ROUNDS = 7;
const SLOWDOWN = 4;
const MAX_BYTES = 60_000;
const docsFile = join(import.meta.dirname, '../docs/performance.md');
const HEADERS = ['Network', 'Transferred', 'Requests', 'First contentful paint', 'Interactive', 'Blocked'];
const HEADING = '## The login page in a browser';

interface Network {
  name: string;
  latencyMs: number;
  /** 0 means no limit. */
  bytesPerSecond: number;
}

const networks: Network[] = [
  { name: 'no limit', latencyMs: 0, bytesPerSecond: 0 },
  { name: 'slow 4G (150 ms, 1.6 Mbit/s)', latencyMs: 150, bytesPerSecond: 200_000 },
];

interface Figures {
  bytes: number;
  requests: number;
  firstPaintMs: number;
  interactiveMs: number;
  blockedMs: number;
}

/**
 * Records when the script of the page has finished. At that moment, the script shows the button that reveals the
 * password.
 */
const NOTE = `
  window.measured = { readyAt: 0, longTasks: [] };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.measured.longTasks.push({ startTime, duration });
  }).observe({ type: 'longtask', buffered: true });
  const watcher = new MutationObserver(() => {
    const reveal = document.getElementById('reveal');
    if (!reveal || reveal.hidden) return;
    window.measured.readyAt = performance.now();
    watcher.disconnect();
  });
  watcher.observe(document, { childList: true, subtree: true, attributes: true });`;

const READ = `({
  ...window.measured,
  paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
})`;

interface Measured {
  readyAt: number;
  paint: number;
  longTasks: { startTime: number; duration: number }[];
}

async function throttle(session: CDPSession, { latencyMs, bytesPerSecond }: Network): Promise<void> {
  await session.send('Network.enable');
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  if (bytesPerSecond === 0) return;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
}

async function visit(browser: Browser, url: string, network: Network): Promise<Figures> {
  const context = await browser.newContext({ locale: 'en' });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await throttle(session, network);
  let bytes = 0;
  let requests = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests += 1;
  });
  await page.addInitScript(NOTE);
  await page.goto(`${url}/authsvc/login`, { waitUntil: 'networkidle' });
  await page.waitForFunction("performance.getEntriesByName('first-contentful-paint').length > 0");
  const { readyAt, paint, longTasks } = await page.evaluate<Measured>(READ);
  await context.close();
  const lastTask = Math.max(0, ...longTasks.map(({ startTime, duration }) => startTime + duration));
  return {
    bytes,
    requests,
    firstPaintMs: paint,
    interactiveMs: Math.max(readyAt, paint, lastTask),
    blockedMs: longTasks.reduce((sum, { duration }) => sum + Math.max(0, duration - 50), 0),
  };
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

async function measure(browser: Browser, url: string, network: Network): Promise<Figures> {
  await visit(browser, url, network);
  const rounds: Figures[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await visit(browser, url, network));
  const of = (key: keyof Figures) => median(rounds.map((figures) => figures[key]));
  return {
    bytes: of('bytes'),
    requests: of('requests'),
    firstPaintMs: of('firstPaintMs'),
    interactiveMs: of('interactiveMs'),
    blockedMs: of('blockedMs'),
  };
}

function section(rows: { network: Network; figures: Figures }[], version: string): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`;
  const load = loadavg()[0]?.toFixed(1) ?? 'unknown';
  const lines = rows.map(({ network, figures }) => {
    const { bytes, requests, firstPaintMs, interactiveMs, blockedMs } = figures;
    const times = [firstPaintMs, interactiveMs, blockedMs].map((ms) => `${Math.round(ms)} ms`);
    return [network.name, `${(bytes / 1000).toFixed(1)} kB`, String(requests), ...times];
  });
  return `${HEADING}

\`npm run measure:login\` opens the login page in Chromium ${version}, with the processor slowed down ${SLOWDOWN}-fold and an empty profile for
each visit. The figures are medians of ${ROUNDS} visits, after one visit that is not counted. Server and browser ran on one machine
(${machine}) whose load average was ${load}. The times depend on that machine; the bytes and requests do not.

${table(HEADERS, lines).join('\n').trim()}

"Transferred" is everything that the browser receives, with headers and icon. Nothing is compressed. The page does not use \`bg.webp\`. A
page is "interactive" when it is painted, its script has run, and no task of more than 50 ms follows. "Blocked" adds up the time that each
task took beyond 50 ms.
`;
}

/** Replaces the section in the page, or appends it if the page has none. */
function writeSection(text: string): void {
  const page = existsSync(docsFile) ? readFileSync(docsFile, 'utf8') : '# Performance\n';
  const start = page.indexOf(HEADING);
  const next = start < 0 ? -1 : page.indexOf('\n## ', start);
  const before = start < 0 ? `${page.trimEnd()}\n\n` : page.slice(0, start);
  const after = next < 0 ? '' : page.slice(next);
  writeFileSync(docsFile, before + text + after);
}

async function main(): Promise<number> {
  const chromium = await findChromium();
  if (chromium === undefined) return 1;
  const stops: (() => Promise<void>)[] = [];
  const browser = await launchChromium(chromium);
  stops.push(() => browser.close());
  try {
    const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.push(stop) };
    const app = await startApp(owner, { database: 'sqlite', settings: { env: 'dev', RATE_LIMITS: 'off' } });
    const rows: { network: Network; figures: Figures }[] = [];
    for (const network of networks) rows.push({ network, figures: await measure(browser, app.url, network) });
    const text = section(rows, browser.version());
    process.stdout.write(text);
    writeSection(text);
    const tooMuch = rows.some(({ figures }) => figures.bytes > MAX_BYTES);
    if (tooMuch) process.stderr.write(`The page transfers more than ${MAX_BYTES} bytes.\n`);
    return tooMuch ? 1 : 0;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

process.exitCode = await main();
