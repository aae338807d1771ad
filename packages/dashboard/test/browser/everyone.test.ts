import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graveProblems } from './axe.ts';
import { noBrowser, start, type Started } from './started.ts';

/** What belongs to all pages alike: that everyone can use them, on any screen, in light and in dark. */
describe.skipIf(noBrowser !== null)('every page', () => {
  let world: Started;
  let addresses: readonly string[];

  beforeAll(async () => {
    world = await start();
    const id = await world.begin(
      'Repair the sum, and tell at length what you did and why you did it that way',
      [
        { text: 'I look first.', calls: [{ tool: 'read', args: { path: 'missing.md' } }] },
        { text: 'I will.', calls: [{ tool: 'edit', args: { path: 'sum.js', old: 'a - b', new: 'a + b' } }] },
      ],
    );
    await world.until(id, 'awaitingPermission');
    const views = ['transcript', 'events', 'chart', 'timeline', 'why', 'governor', 'memory'];
    addresses = [
      '#/',
      '#/approvals',
      '#/fleet',
      '#/import',
      `#/compare?a=${id}&b=${id}`,
      ...views.map((view) => `#/s/${id}/${view}`),
    ];
  });
  afterAll(() => world.close());

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has nothing that axe finds serious, in ${colorScheme}`, { timeout: 120_000 }, async () => {
      const page = await world.page('#/', { colorScheme });
      const found: string[] = [];
      for (const address of addresses) {
        await page.goto(`${world.url}/${address}`);
        await page.waitForTimeout(700);
        found.push(...(await graveProblems(page)).map((problem) => `${address} ${problem}`));
      }
      expect(found).toEqual([]);
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      expect(await graveProblems(page)).toEqual([]);
      expect(page.problems).toEqual([]);
    });
  }

  it('fits a phone without scrolling sideways', { timeout: 60_000 }, async () => {
    const page = await world.page('#/', { viewport: { width: 390, height: 844 }, hasTouch: true });
    for (const address of addresses) {
      await page.goto(`${world.url}/${address}`);
      await page.waitForTimeout(500);
      const widths = await page.evaluate(
        `[document.documentElement.scrollWidth, document.querySelector('main').scrollWidth].map((width) => width <= 390)`,
      );
      expect([address, widths]).toEqual([address, [true, true]]);
    }
    expect(page.problems).toEqual([]);
  });

  it('follows the colours of the machine until somebody chooses', async () => {
    const page = await world.page('#/', { colorScheme: 'dark' });
    await page.locator('.run-row a').waitFor();
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
