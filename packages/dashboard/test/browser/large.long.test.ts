import { describe, expect, it } from 'vitest';
import { createLongRun } from '../web/long-run.ts';
import { measureFirstView, measureScrollFrames } from './measure.ts';
import { useBrowserWorld } from './use-browser-world.ts';

/** Maximum number of rendered rows in any list. */
const rowsMax = 120;

describe('a long session', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld(async (newWorld) => {
    for (const count of [10_000, 100_000]) {
      const { created, events } = createLongRun(count, { id: `run-of-${count}` });
      await newWorld.keep(created, events);
    }
  });

  it('of 10,000 events loads quickly', async () => {
    const page = await world().page();
    const cold = await measureFirstView(page, world().url, 'run-of-10000', 10_000);
    const warm = await measureFirstView(page, world().url, 'run-of-10000', 10_000);
    expect(Math.min(cold, warm)).toBeLessThan(10_000);
    expect(page.problems).toEqual([]);
  });

  it('of 100,000 events scrolls smoothly and renders only visible rows', async () => {
    const page = await world().page();
    await measureFirstView(page, world().url, 'run-of-100000', 100_000);
    const inEvents = await measureScrollFrames(page, '.event-rows');
    expect(await page.locator('.event-row').count()).toBeLessThan(rowsMax);
    await page.getByRole('slider').fill('50000');
    await page.locator('#event-50000.chosen').waitFor();

    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.locator('.item').first().waitFor();
    const inTranscript = await measureScrollFrames(page, '.transcript');
    expect(await page.locator('.item').count()).toBeLessThan(rowsMax);
    expect(Math.max(inEvents.p95Ms, inTranscript.p95Ms)).toBeLessThan(1_000);

    await page.goto(`${world().url}/#/s/run-of-100000/events`);
    await page.getByRole('searchbox').fill('part-9999.ts');
    await page.getByText(/^\d+ of 100,000 events$/u).waitFor();

    await page.getByRole('tab', { name: 'chart' }).click();
    await page.getByRole('button', { name: 'sequence' }).click();
    await page.locator('.ran-stay').first().waitFor();
    expect(await page.locator('.ran-stay').count()).toBeLessThan(rowsMax);
    await page.getByRole('tab', { name: 'timeline' }).click();
    await page.locator('.strip-block').first().waitFor();
    expect(await page.locator('.strip-block').count()).toBeLessThan(3_000);
    expect(page.problems).toEqual([]);
  });
});
