import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createRepairSession } from './recorded-sessions.ts';
import { useBrowserWorld } from './use-browser-world.ts';

describe('the chart of a session', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld(async (made) => {
    const { session, events } = createRepairSession('repair', Date.now() - 600_000);
    await made.keep(session, events);
  });

  it('lights the state that the work is in, with counts on states and ways', async () => {
    const page = await world().page('#/s/repair/chart');
    const lit = page.locator('.chart-state.current');
    await lit.waitFor();
    expect(await lit.locator('.chart-name').textContent()).toBe('waitingForUser');
    const model = page.getByRole('button', { name: /^callingModel \d+× · /u });
    expect(await model.count()).toBe(1);
    expect(await page.locator('.chart-way.latest text').textContent()).toBe('1');
    expect(page.problems).toEqual([]);
  });

  it('goes back in time without moving, and shows the visits of a state', async () => {
    const page = await world().page('#/s/repair/chart');
    const tools = page.getByRole('button', { name: /^executingTools/u });
    await tools.waitFor();
    const before = await measureStateOffset(page);
    await page.goto(`${world().url}/#/s/repair/chart?at=6`);
    const lit = page.locator('.chart-state.current .chart-name');
    await expect.poll(() => lit.textContent()).toBe('executingTools');
    expect(await measureStateOffset(page)).toEqual(before);
    await tools.click();
    const side = page.getByRole('complementary', { name: 'About executingTools' });
    await side.getByText('1 visit').waitFor();
    await side.locator('.chart-visits button').first().click();
    await expect.poll(() => new URL(page.url()).hash).toContain('at=3');
    expect(page.problems).toEqual([]);
  });

  it('shows every way when asked to, and says it all in words', async () => {
    const page = await world().page('#/s/repair/chart');
    await page.locator('.chart-state.current').waitFor();
    const usual = await page.locator('.chart-way').count();
    await page.getByLabel('every way').check();
    await expect.poll(() => page.locator('.chart-way').count()).toBeGreaterThan(usual + 20);
    await page.getByText('The chart in words').click();
    expect(await page.locator('.chart-words').textContent()).toContain('The work is in waitingForUser');
    expect(page.problems).toEqual([]);
  });

  it('says so where what lays it out cannot be loaded, and still has the words', async () => {
    const page = await world().page();
    await page.route('**/elk-worker*', (route) => route.abort());
    await page.goto(`${world().url}/#/s/repair/chart`);
    expect(await page.getByRole('alert').textContent()).toContain('could not be loaded');
    await page.getByText('The chart in words').click();
    await page.getByText(/^The work is in waitingForUser/u).waitFor();
  });

  it('is drawn as it ran too, a dot for each stay, by which one goes to its event', async () => {
    const page = await world().page('#/s/repair/chart');
    await page.getByRole('button', { name: 'as it ran' }).click();
    const stays = page.locator('.ran-stay');
    await stays.first().waitFor();
    expect(await page.locator('.ran-stay.current title').textContent()).toContain('waitingForUser');
    await page.locator('.ran').focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => new URL(page.url()).hash).toContain('?at=');
    expect(page.problems).toEqual([]);
  });
});

/** How far one state lies from another: the same for as long as nothing was laid out anew. */
async function measureStateOffset(page: Page): Promise<readonly number[]> {
  const model = await page.locator('.chart-state', { hasText: 'callingModel' }).boundingBox();
  const tools = await page.locator('.chart-state', { hasText: 'executingTools' }).boundingBox();
  if (model === null || tools === null) throw new Error('the states are not drawn');
  return [Math.round(tools.x - model.x), Math.round(tools.y - model.y)];
}
