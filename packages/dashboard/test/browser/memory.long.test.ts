import { describe, expect, it } from 'vitest';
import { createRepairSession } from './recorded-sessions.ts';
import { useBrowserWorld } from './use-browser-world.ts';

describe('the memory of a session', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld(async (newWorld) => {
    const { session, events } = createRepairSession('repair', Date.now() - 600_000);
    await newWorld.keep(session, events);
  });

  it('is a treemap with gauges for working memory and the context window', async () => {
    const page = await world().page('#/s/repair/memory');
    await page.getByRole('meter', { name: 'working memory' }).waitFor();
    await page.getByRole('meter', { name: 'context window' }).waitFor();
    const first = page.locator('.mem-box').first();
    await first.click();
    const entry = page.getByRole('complementary', { name: /^Entry/u });
    expect(await entry.textContent()).toContain('what was found is written down here.');
    await page.getByRole('button', { name: 'list', exact: true }).click();
    expect(await page.locator('.mem-table tbody tr').count()).toBeGreaterThan(5);
    expect(page.problems).toEqual([]);
  });

  it('shows the entries at the selected event', async () => {
    const page = await world().page('#/s/repair/memory?at=17');
    await expect.poll(() => page.locator('.mem-box').count()).toBe(2);
    await page.locator('.mem-box').first().click();
    await page.getByText('An earlier event is selected').waitFor();
    expect(await page.getByRole('button', { name: 'Pin' }).isDisabled()).toBe(true);
    expect(page.problems).toEqual([]);
  });

  it('lists paged entries with time and reason', async () => {
    const page = await world().page('#/s/repair/memory');
    const paged = page.getByRole('region', { name: 'Paged out' });
    await paged.getByText('least recently used').first().waitFor();
    expect(await paged.textContent()).toContain('reason: the prompt is too long');
    expect(page.problems).toEqual([]);
  });

  it('has searchable storage', async () => {
    const page = await world().page('#/s/repair/memory');
    const storage = page.getByRole('region', { name: 'Storage' });
    await storage.getByRole('searchbox').fill('nothing like this');
    await storage.getByText('No matching entries.').waitFor();
    expect(page.problems).toEqual([]);
  });

  it('pins, unpins and evicts an entry', async () => {
    const value = 'The sum is wrong.';
    const id = await world().begin('Remember the notes', [
      { calls: [{ tool: 'working_memory_add', args: { tags: 'notes', value } }] },
      { text: 'Remembered.' },
    ]);
    await world().until(id, 'waitingForUser');
    const { session } = await world().store.open(id);
    expect(session.memory?.entries.size).toBe(1);
    const page = await world().page(`#/s/${id}/memory`);
    await page.locator('.mem-box').first().click();
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByRole('button', { name: 'Unpin' }).click();
    await page.getByRole('button', { name: 'Pin', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Move to storage' }).click();
    await page.getByRole('region', { name: 'Paged out' }).getByText('notes').waitFor();
    expect(page.problems).toEqual([]);
  });
});
