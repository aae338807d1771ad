import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createRepairSession } from './recorded-sessions.ts';
import { useBrowserWorld } from './use-browser-world.ts';

describe('the chart of a session', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld(async (newWorld) => {
    const { session, events } = createRepairSession('repair', Date.now() - 600_000);
    await newWorld.keep(session, events);
  });

  it('highlights the current state and shows counts on states and transitions', async () => {
    const page = await world().page('#/s/repair/chart');
    const highlighted = page.locator('.chart-state.current');
    await highlighted.waitFor();
    expect(await highlighted.locator('.chart-name').textContent()).toBe('waitingForUser');
    const model = page.getByRole('button', { name: /^callingModel \d+× · /u });
    expect(await model.count()).toBe(1);
    expect(await page.locator('.chart-way.latest text').textContent()).toBe('1');
    expect(page.problems).toEqual([]);
  });

  it('keeps its layout during time travel and shows the visits of a state', async () => {
    const page = await world().page('#/s/repair/chart');
    const tools = page.getByRole('button', { name: /^executingTools/u });
    await tools.waitFor();
    const before = await measureStateOffset(page);
    await page.goto(`${world().url}/#/s/repair/chart?at=6`);
    const highlighted = page.locator('.chart-state.current .chart-name');
    await expect.poll(() => highlighted.textContent()).toBe('executingTools');
    expect(await measureStateOffset(page)).toEqual(before);
    await tools.click();
    const side = page.getByRole('complementary', { name: 'About executingTools' });
    await side.getByText('1 visit').waitFor();
    await side.locator('.chart-visits button').first().click();
    await expect.poll(() => new URL(page.url()).hash).toContain('at=3');
    expect(page.problems).toEqual([]);
  });

  it('shows all transitions on request and has a text version', async () => {
    const page = await world().page('#/s/repair/chart');
    await page.locator('.chart-state.current').waitFor();
    const usual = await page.locator('.chart-way').count();
    await page.getByLabel('all transitions').check();
    await expect.poll(() => page.locator('.chart-way').count()).toBeGreaterThan(usual + 20);
    await page.getByText('Chart as text').click();
    expect(await page.locator('.chart-words').textContent()).toContain('Current state: waitingForUser');
    expect(page.problems).toEqual([]);
  });

  it('reports a layout that cannot be loaded and still has the text version', async () => {
    const page = await world().page();
    await page.route('**/elk-worker*', (route) => route.abort());
    await page.goto(`${world().url}/#/s/repair/chart`);
    expect(await page.getByRole('alert').textContent()).toContain('could not be loaded');
    await page.getByText('Chart as text').click();
    await page.getByText(/^Current state: waitingForUser/u).waitFor();
  });

  it('has a sequence layout with one dot per visit', async () => {
    const page = await world().page('#/s/repair/chart');
    await page.getByRole('button', { name: 'sequence' }).click();
    const visits = page.locator('.ran-stay');
    await visits.first().waitFor();
    expect(await page.locator('.ran-stay.current title').textContent()).toContain('waitingForUser');
    await page.locator('.ran').focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => new URL(page.url()).hash).toContain('?at=');
    expect(page.problems).toEqual([]);
  });
});

/** Distance between two states; constant as long as the layout does not change. */
async function measureStateOffset(page: Page): Promise<readonly number[]> {
  const model = await page.locator('.chart-state', { hasText: 'callingModel' }).boundingBox();
  const tools = await page.locator('.chart-state', { hasText: 'executingTools' }).boundingBox();
  if (model === null || tools === null) throw new Error('Expected both states to be rendered.');
  return [Math.round(tools.x - model.x), Math.round(tools.y - model.y)];
}
