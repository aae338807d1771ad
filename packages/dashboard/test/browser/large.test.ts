import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longRun } from '../web/long-run.ts';
import { firstViewMs, scrolledFrames } from './measure.ts';
import { noBrowser, start, type Started } from './started.ts';

describe.skipIf(noBrowser !== null)('a long session', () => {
  let world: Started;

  beforeAll(async () => {
    world = await start();
    for (const count of [10_000, 100_000]) {
      const { created, events } = longRun(count, { id: `run-of-${count}` });
      await world.keep(created, events);
    }
  }, 120_000);
  afterAll(() => world.close());

  it('of 10,000 events is there at once', async () => {
    const page = await world.page();
    const cold = await firstViewMs(page, world.url, 'run-of-10000', 10_000);
    const warm = await firstViewMs(page, world.url, 'run-of-10000', 10_000);
    console.log(`10,000 events: first view after ${cold.toFixed(0)} ms, then ${warm.toFixed(0)} ms`);
    expect(Math.min(cold, warm)).toBeLessThan(10_000);
    expect(page.problems).toEqual([]);
  });

  it('of 100,000 events stays smooth', { timeout: 180_000 }, async () => {
    const page = await world.page();
    const shownMs = await firstViewMs(page, world.url, 'run-of-100000', 100_000);
    console.log(`100,000 events: all replayed after ${shownMs.toFixed(0)} ms`);
    const events = await scrolledFrames(page, '.event-rows');
    console.log(`scrolling the event log: ${tell(events)}`);
    expect(await page.locator('.event-row').count()).toBeLessThan(120);

    const moved = performance.now();
    await page.getByRole('slider').fill('50000');
    await page.locator('#event-50000.chosen').waitFor();
    console.log(`to event 50,000 and its state: ${(performance.now() - moved).toFixed(0)} ms`);

    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.locator('.item').first().waitFor();
    const transcript = await scrolledFrames(page, '.transcript');
    console.log(`scrolling the transcript: ${tell(transcript)}`);
    expect(await page.locator('.item').count()).toBeLessThan(120);

    const asked = performance.now();
    await page.goto(`${world.url}/#/s/run-of-100000/events`);
    await page.getByRole('searchbox').fill('part-9999.ts');
    await page.getByText(/^\d+ of 100,000 events$/u).waitFor();
    console.log(`searching all events: ${(performance.now() - asked).toFixed(0)} ms`);
    expect(Math.max(events.p95Ms, transcript.p95Ms)).toBeLessThan(1_000);
    expect(page.problems).toEqual([]);
  });
});

function tell({
  count,
  p95Ms,
  maxMs,
}: {
  readonly count: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}): string {
  return `${count} frames, 95 % within ${p95Ms.toFixed(0)} ms, longest ${maxMs.toFixed(0)} ms`;
}
