import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keepRun, makePlace, plainRun, stuckRun, type Place } from './kept-sessions.ts';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const executablePath = '/usr/bin/chromium';

let browser: Browser | undefined;
let place: Place;
beforeAll(async () => {
  if (!existsSync(executablePath)) {
    return console.warn(`Skipped: there is no ${executablePath} to open the report in.`);
  }
  browser = await chromium.launch({ executablePath, headless: true, args: flags });
});
afterAll(() => browser?.close());
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.close());

const hostile =
  '<script>document.title = "owned"</script><img src="http://evil.test/x" onerror="document.title=\'owned\'">"\'&amp;\u001b[31m';

const day = 86_400_000;
const start = Date.UTC(2026, 2, 1, 12);

/** Sessions of some days, one with a goal, a model and a tool that would like to be more than text. */
async function keepSome(): Promise<void> {
  await keepRun(place, { ...plainRun, id: 'roof', start });
  await keepRun(place, { ...stuckRun, id: 'key', start: start + day });
  await keepRun(place, {
    ...stuckRun,
    id: 'hostile',
    goal: hostile,
    start: start + 3 * day,
    about: { dir: place.dir, model: hostile },
  });
  await place.pawl('verdict', 'key', 'right');
  await place.pawl('verdict', 'hostile', 'wrong');
}

type Opened = {
  readonly page: Page;
  readonly requests: readonly string[];
  readonly errors: readonly string[];
};

/** Opens the report as a person would, from the disk. */
async function open(file: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Opened> {
  if (browser === undefined) throw new Error('There is no browser.');
  const page = await browser.newPage({ colorScheme });
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => errors.push(message.text()));
  await page.goto(pathToFileURL(file).href);
  return { page, requests, errors };
}

async function report(): Promise<string> {
  const file = join(place.dir, 'report.html');
  const { code, err } = await place.pawl('stats', '--html', file);
  expect(err).toBe(`Wrote ${JSON.stringify(file)}.\n`);
  expect(code).toBe(0);
  return file;
}

/** How long or high each piece of a plot is drawn. */
async function sidesIn(page: Page, caption: string, side: 'width' | 'height'): Promise<readonly number[]> {
  const pieces = await page
    .locator('figure', { has: page.locator('b', { hasText: caption }) })
    .locator('rect')
    .all();
  return Promise.all(pieces.map(async (piece) => Number(await piece.getAttribute(side))));
}

describe.skipIf(!existsSync(executablePath))('pawl stats --html', () => {
  it('writes one page with plots that a browser draws, and asks the network for nothing', async () => {
    await keepSome();
    const file = await report();
    const { page, requests, errors } = await open(file);
    expect(requests).toEqual([pathToFileURL(file).href]);
    expect(errors).toEqual([]);
    expect(await page.locator('section > h2').allTextContents()).toEqual([
      'Over time',
      'Where the time went',
      'Loops, and what they cost from the second time on',
      'Verdicts, as people marked them',
      'By profile',
      'By model',
      'By tool',
    ]);
    const captions = await page.locator('figcaption b').allTextContents();
    expect(captions).toEqual([
      'Sessions that began',
      'Steps that brought something new',
      'Tokens, and those that went into loops',
      'Verdicts that people found right',
      'Time in each state',
      'Tokens that went into loops, by rule',
      'Verdicts by rule',
      'Sessions by profile',
      'Sessions by model',
      'Calls by tool',
    ]);
    for (const figure of await page.locator('figure svg').all()) {
      const box = await figure.boundingBox();
      expect(box?.width).toBeGreaterThan(300);
      expect(box?.height).toBeGreaterThan(20);
    }
    await page.close();
  });

  it('draws bars as long as what they stand for', async () => {
    await keepSome();
    const { page } = await open(await report());
    const widths = await sidesIn(page, 'Verdicts by rule', 'width');
    // Four verdicts: one was found right, one wrong, and two were not marked.
    const [right = 0, wrong = 0, unmarked = 0] = widths;
    expect(right).toBeGreaterThan(20);
    expect(wrong).toBeCloseTo(right, 1);
    expect(unmarked).toBeCloseTo(2 * right, 1);
    await page.close();
  });

  it('joins every point of a line, however many there are', async () => {
    for (let index = 0; index < 40; index += 1)
      await keepRun(place, { ...plainRun, id: `roof-${index}`, start: start + index * day });
    const { page } = await open(await report());
    const figure = page.locator('figure', { has: page.locator('polyline') }).first();
    const points = await figure.locator('polyline').getAttribute('points');
    expect(points?.split(' ')).toHaveLength(40);
    expect(await figure.locator('circle').count()).toBe(40);
    await page.close();
  });

  it('draws a column for each day, also for those on which there was nothing', async () => {
    await keepRun(place, { ...plainRun, id: 'roof', start });
    await keepRun(place, { ...stuckRun, id: 'key', start: start + day });
    await keepRun(place, { ...plainRun, id: 'wall', start: start + 3 * day });
    const { page } = await open(await report());
    const heights = await sidesIn(page, 'Sessions that began', 'height');
    // Three parts for each of four days, of which the third has none.
    expect(heights).toHaveLength(12);
    expect(heights.slice(6, 9)).toEqual([0, 0, 0]);
    expect(heights[0]).toBeGreaterThan(50);
    await page.close();
  });

  it('shows what sessions are about as text, whatever it is', async () => {
    await keepSome();
    const { page, requests } = await open(await report());
    await page.locator('summary', { hasText: 'The most expensive ones' }).click();
    const goals = await page.locator('details td:first-child').allTextContents();
    expect(goals.some((goal) => goal.includes('<script>document.title = "owned"</script><img'))).toBe(true);
    expect(await page.title()).toBe('Sessions in numbers');
    expect(await page.locator('script, img, iframe, object, link').count()).toBe(0);
    expect(requests).toHaveLength(1);
    await page.close();
    const text = readFileSync(join(place.dir, 'report.html'), 'utf8');
    expect(text).not.toContain('\u001b');
    expect(text).not.toMatch(/<[^>]*\son\w+=/);
  });

  it('would not run a script even if there were one', async () => {
    await keepSome();
    const file = await report();
    const planted = readFileSync(file, 'utf8').replace(
      '</main>',
      '<script>document.title="owned"</script></main>',
    );
    expect(planted).toContain('owned"</script>');
    writeFileSync(file, planted);
    const { page } = await open(file);
    expect(await page.title()).toBe('Sessions in numbers');
    await page.close();
  });

  it('is light or dark as its reader prefers, and has room on a telephone', async () => {
    await keepSome();
    const file = await report();
    const grounds: string[] = [];
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await open(file, scheme);
      grounds.push(String(await page.evaluate('getComputedStyle(document.body).backgroundColor')));
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      await page.close();
    }
    expect(grounds).toEqual(['rgb(252, 252, 251)', 'rgb(20, 23, 28)']);
  });

  it('replaces a report of its own, and nothing else', async () => {
    const file = join(place.dir, 'report.html');
    await keepRun(place, { ...plainRun, id: 'roof', start });
    expect((await place.pawl('stats', '--html', file)).code).toBe(0);
    expect((await place.pawl('stats', '--html', file)).code).toBe(0);
    writeFileSync(file, '<p>mine</p>');
    const { code, err } = await place.pawl('stats', '--html', file);
    expect(code).toBe(2);
    expect(err).toContain('it is there already');
    expect(readFileSync(file, 'utf8')).toBe('<p>mine</p>');
  });

  it('is a page without plots where there is nothing to count', async () => {
    const { page, errors } = await open(await report());
    expect(errors).toEqual([]);
    expect(await page.locator('figure').count()).toBe(0);
    expect(await page.locator('.about').textContent()).toMatch(/^0 sessions of /);
    await page.close();
  });
});
