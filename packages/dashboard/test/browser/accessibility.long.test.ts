import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findSeriousProblems } from './axe.ts';
import { loopFile } from './imported-run.ts';
import { viewSelectors, measurePageOverflow } from './page-checks.ts';
import { createRepairSession, createTwoRuns } from './recorded-sessions.ts';
import { type OpenedPage } from './browser-world.ts';
import { useBrowserWorld } from './use-browser-world.ts';

type TestedPage = {
  readonly address: string;
  /** Selector that exists once the page is rendered. */
  readonly shows: string;
  /** Interaction before the check. */
  readonly first?: (page: Page) => Promise<void>;
};

/** A new session shows views with little content; the repair session has content for each view. */
function listTestedPages(newSession: string): readonly TestedPage[] {
  return [
    { address: '#/', shows: '.run-row a' },
    { address: '#/approvals', shows: '.approval' },
    { address: '#/fleet', shows: 'main h2' },
    {
      address: '#/import',
      shows: '.import-file tbody tr',
      first: (page) => page.locator('input[type=file]').setInputFiles([loopFile]),
    },
    { address: '#/compare?a=one&b=other', shows: '.compare-row' },
    ...(['transcript', 'events', 'why', 'governor', 'memory'] as const).map((name) =>
      createViewPage(newSession, name),
    ),
    ...(['chart', 'timeline', 'why'] as const).map((name) => createViewPage('repair', name)),
    { address: '#/s/repair/governor', shows: '.gov-rule' },
    {
      address: '#/s/repair/memory',
      shows: '.mem-entry',
      first: (page) => page.locator('.mem-box').first().click(),
    },
  ];
}

function createViewPage(id: string, name: keyof typeof viewSelectors): TestedPage {
  return { address: `#/s/${id}/${name}`, shows: viewSelectors[name] };
}

/** Requirements for all pages: accessible on any screen, in light and dark. */
describe('every page', { tags: ['chromium'] }, () => {
  let testedPages: readonly TestedPage[] = [];
  const world = useBrowserWorld(async (newWorld) => {
    const goal = 'Repair the sum, and tell at length what you did and why you did it that way';
    const id = await newWorld.begin(goal, [
      { text: 'I check first.', calls: [{ tool: 'read', args: { path: 'missing.md' } }] },
      { text: 'I will.', calls: [{ tool: 'edit', args: { path: 'sum.js', old: 'a - b', new: 'a + b' } }] },
    ]);
    await newWorld.until(id, 'awaitingPermission');
    for (const run of [createRepairSession('repair', Date.now() - 600_000), ...createTwoRuns()])
      await newWorld.keep(run.session, run.events);
    testedPages = listTestedPages(id);
  });

  async function visit(page: OpenedPage, check: (address: string) => Promise<void>): Promise<void> {
    for (const { address, shows, first } of testedPages) {
      await page.goto(`${world().url}/${address}`);
      await first?.(page);
      await page.locator(shows).first().waitFor();
      await check(address);
    }
  }

  it.each([
    ['in light', { colorScheme: 'light' }],
    ['in dark', { colorScheme: 'dark' }],
    ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true }],
  ] as const)('has no serious axe violations %s', async (_, options) => {
    const page = await world().page('#/', options);
    const violations: string[] = [];
    await visit(page, async (address) => {
      violations.push(...(await findSeriousProblems(page)).map((problem) => `${address} ${problem}`));
      expect([address, await measurePageOverflow(page), await measureMainOverflow(page)]).toEqual([
        address,
        0,
        0,
      ]);
    });
    expect(violations).toEqual([]);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await findSeriousProblems(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  it('has a descriptive title', async () => {
    const page = await world().page('#/s/repair/why');
    for (const [address, title] of [
      ['#/s/repair/why', 'Repair the sum, and say what was wrong with it. · Pawl'],
      ['#/fleet', 'Fleet · Pawl'],
      ['#/import', 'Import · Pawl'],
      ['#/compare', 'Compare · Pawl'],
      ['#/approvals', 'Approvals · Pawl'],
      ['#/', 'Runs · Pawl'],
    ] as const) {
      await page.goto(`${world().url}/${address}`);
      await expect.poll(() => page.title()).toBe(title);
    }
  });

  it('has no animations with reduced motion', async () => {
    const page = await world().page('#/', { reducedMotion: 'reduce' });
    const animation = await page.evaluate(`(() => {
      const spinner = document.body.appendChild(document.createElement('span'));
      spinner.className = 'spinner';
      return getComputedStyle(spinner).animationName;
    })()`);
    expect(animation).toBe('none');
  });

  it('follows the system theme until the user chooses one', async () => {
    const page = await world().page('#/', { colorScheme: 'dark' });
    await page.locator('.run-row a').first().waitFor();
    const theme = (): Promise<unknown> => page.evaluate('document.documentElement.dataset.theme');
    expect(await theme()).toBe('dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(theme).toBe('light');
    await page.getByRole('button', { name: /Change to light/u }).click();
    await page.getByRole('button', { name: /Change to dark/u }).click();
    expect(await theme()).toBe('dark');
    await page.reload();
    expect(await theme()).toBe('dark');
  });
});

/** Returns by how many pixels the main content overflows horizontally. */
function measureMainOverflow(page: Page): Promise<number> {
  return page.evaluate<number>(
    `(() => { const main = document.querySelector('main'); return main.scrollWidth - main.clientWidth; })()`,
  );
}
