import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser } from '../../../../scripts/testing/browser.ts';
import {
  saveRun,
  createTestWorkspace,
  successfulRun,
  stuckRun,
  type TestWorkspace,
} from './test-workspace.ts';

let browser: Browser | undefined;
let testWorkspace: TestWorkspace;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

const hostile =
  '<script>document.title = "owned"</script><img src="http://evil.test/x" onerror="document.title=\'owned\'">"\'&amp;\u001b[31m';

const day = 86_400_000;
const start = Date.UTC(2026, 2, 1, 12);

/** Sessions of several days, one with HTML in its goal, model and tool name. */
async function saveSampleSessions(): Promise<void> {
  await saveRun(testWorkspace, { ...successfulRun, id: 'roof', start });
  await saveRun(testWorkspace, { ...stuckRun, id: 'key', start: start + day });
  await saveRun(testWorkspace, {
    ...stuckRun,
    id: 'hostile',
    goal: hostile,
    start: start + 3 * day,
    about: { dir: testWorkspace.dir, model: hostile },
  });
  await testWorkspace.pawl('verdict', 'key', 'right');
  await testWorkspace.pawl('verdict', 'hostile', 'wrong');
}

type OpenedReport = {
  readonly page: Page;
  readonly requests: readonly string[];
  readonly errors: readonly string[];
};

/** Opens the report from the disk, as a user would. */
async function openReport(file: string, colorScheme: 'light' | 'dark' = 'light'): Promise<OpenedReport> {
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

async function writeReport(): Promise<string> {
  const file = join(testWorkspace.dir, 'report.html');
  const { code, err } = await testWorkspace.pawl('stats', '--html', file);
  expect(err).toBe(`Wrote ${JSON.stringify(file)}.\n`);
  expect(code).toBe(0);
  return file;
}

/** Returns the drawn length of each segment of a plot. */
async function measurePlotParts(
  page: Page,
  caption: string,
  side: 'width' | 'height',
): Promise<readonly number[]> {
  const pieces = await page
    .locator('figure', { has: page.locator('b', { hasText: caption }) })
    .locator('rect')
    .all();
  return Promise.all(pieces.map(async (piece) => Number(await piece.getAttribute(side))));
}

describe('pawl stats --html', { tags: ['chromium'] }, () => {
  it('writes one page with plots that a browser draws without network access', async () => {
    await saveSampleSessions();
    const file = await writeReport();
    const { page, requests, errors } = await openReport(file);
    expect(requests).toEqual([pathToFileURL(file).href]);
    expect(errors).toEqual([]);
    expect(await page.locator('section > h2').allTextContents()).toEqual([
      'Over time',
      'Time by state',
      'Loops and their cost, from the first repetition on',
      'Verdict accuracy',
      'By profile',
      'By model',
      'By tool',
    ]);
    const captions = await page.locator('figcaption b').allTextContents();
    expect(captions).toEqual([
      'Sessions started',
      'Effective steps',
      'Tokens, total and in loops',
      'Verdicts marked as right',
      'Time in each state',
      'Tokens in loops, by rule',
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

  it('draws bars in proportion to their values', async () => {
    await saveSampleSessions();
    const { page } = await openReport(await writeReport());
    const widths = await measurePlotParts(page, 'Verdicts by rule', 'width');
    // Four verdicts: one was found right, one wrong, and two were not marked.
    const [right = 0, wrong = 0, unmarked = 0] = widths;
    expect(right).toBeGreaterThan(20);
    expect(wrong).toBeCloseTo(right, 1);
    expect(unmarked).toBeCloseTo(2 * right, 1);
    await page.close();
  });

  it('connects all points of a line', async () => {
    for (let index = 0; index < 40; index += 1)
      await saveRun(testWorkspace, { ...successfulRun, id: `roof-${index}`, start: start + index * day });
    const { page } = await openReport(await writeReport());
    const figure = page.locator('figure', { has: page.locator('polyline') }).first();
    const points = await figure.locator('polyline').getAttribute('points');
    expect(points?.split(' ')).toHaveLength(40);
    expect(await figure.locator('circle').count()).toBe(40);
    await page.close();
  });

  it('draws a column for each day, including days without sessions', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof', start });
    await saveRun(testWorkspace, { ...stuckRun, id: 'key', start: start + day });
    await saveRun(testWorkspace, { ...successfulRun, id: 'wall', start: start + 3 * day });
    const { page } = await openReport(await writeReport());
    const heights = await measurePlotParts(page, 'Sessions started', 'height');
    // Three parts for each of four days, of which the third has none.
    expect(heights).toHaveLength(12);
    expect(heights.slice(6, 9)).toEqual([0, 0, 0]);
    expect(heights[0]).toBeGreaterThan(50);
    await page.close();
  });

  it('escapes session texts', async () => {
    await saveSampleSessions();
    const { page, requests } = await openReport(await writeReport());
    await page.locator('summary', { hasText: 'Most expensive loops' }).click();
    const goals = await page.locator('details td:first-child').allTextContents();
    expect(goals.some((goal) => goal.includes('<script>document.title = "owned"</script><img'))).toBe(true);
    expect(await page.title()).toBe('Session statistics');
    expect(await page.locator('script, img, iframe, object, link').count()).toBe(0);
    expect(requests).toHaveLength(1);
    await page.close();
    const text = readFileSync(join(testWorkspace.dir, 'report.html'), 'utf8');
    expect(text).not.toContain('\u001b');
    expect(text).not.toMatch(/<[^>]*\son\w+=/);
  });

  it('blocks scripts by policy', async () => {
    await saveSampleSessions();
    const file = await writeReport();
    const planted = readFileSync(file, 'utf8').replace(
      '</main>',
      '<script>document.title="owned"</script></main>',
    );
    expect(planted).toContain('owned"</script>');
    writeFileSync(file, planted);
    const { page } = await openReport(file);
    expect(await page.title()).toBe('Session statistics');
    await page.close();
  });

  it('follows the color scheme of the reader, and fits a phone screen', async () => {
    await saveSampleSessions();
    const file = await writeReport();
    const grounds: string[] = [];
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await openReport(file, scheme);
      grounds.push(String(await page.evaluate('getComputedStyle(document.body).backgroundColor')));
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      await page.close();
    }
    expect(grounds).toEqual(['rgb(252, 252, 251)', 'rgb(20, 23, 28)']);
  });

  it('overwrites only its own reports', async () => {
    const file = join(testWorkspace.dir, 'report.html');
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof', start });
    expect((await testWorkspace.pawl('stats', '--html', file)).code).toBe(0);
    expect((await testWorkspace.pawl('stats', '--html', file)).code).toBe(0);
    writeFileSync(file, '<p>mine</p>');
    const { code, err } = await testWorkspace.pawl('stats', '--html', file);
    expect(code).toBe(2);
    expect(err).toContain('the file exists');
    expect(readFileSync(file, 'utf8')).toBe('<p>mine</p>');
  });

  it('has no plots without sessions', async () => {
    const { page, errors } = await openReport(await writeReport());
    expect(errors).toEqual([]);
    expect(await page.locator('figure').count()).toBe(0);
    expect(await page.locator('.about').textContent()).toMatch(/^0 sessions of /);
    await page.close();
  });
});
