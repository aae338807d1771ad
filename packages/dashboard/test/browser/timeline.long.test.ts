import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createRepairSession } from './recorded-sessions.ts';
import { useBrowserWorld } from './use-browser-world.ts';

describe('the timeline of a session', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld(async (newWorld) => {
    const { session, events } = createRepairSession('repair', Date.now() - 600_000);
    await newWorld.keep(session, events);
  });

  async function opened(address = '#/s/repair/timeline'): Promise<Page & { readonly problems: string[] }> {
    const page = await world().page(address);
    await page.locator('.strip-block').first().waitFor();
    return page;
  }

  it('shows model calls, concurrent tools, waits, retries and paging under its phases', async () => {
    const page = await opened();
    const kinds = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('.strip-block')].map((each) => each.dataset.kind)",
    );
    expect(new Set(kinds)).toEqual(
      new Set(['hooks', 'model', 'paging', 'pause', 'permission', 'retry', 'tool', 'user']),
    );
    expect(await page.locator('.strip-bands.phase title').allTextContents()).toEqual([
      'phase 1: look around',
      'phase 2: put it right',
      'phase 3: make sure',
    ]);
    expect(await page.locator('.strip-block.retry title').textContent()).toMatch(
      /attempt 2, at .*, next attempt at/u,
    );
    expect(await page.locator('.strip-mark').count()).toBe(3);
    expect(page.problems).toEqual([]);
  });

  it('zooms by button, key, wheel and drag, and resets', async () => {
    const page = await opened();
    const all = await listTickTexts(page);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => listTickTexts(page)).not.toEqual(all);
    await page.keyboard.press('=');
    await expect.poll(() => listTickTexts(page)).toEqual(all);
    const box = await page.locator('.strip').boundingBox();
    if (box === null) throw new Error('Expected the timeline to be rendered.');
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await expect.poll(() => listTickTexts(page)).not.toEqual(all);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.mouse.move(box.x + 300, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.locator('.overview-frame').waitFor();
    expect(page.problems).toEqual([]);
  });

  it('selects the clicked event and opens the explanation of a verdict', async () => {
    const page = await opened();
    await page.locator('.strip-block.tool').first().click();
    await expect.poll(() => new URL(page.url()).hash).toMatch(/timeline\?at=\d+$/u);
    await page.locator('.strip-mark path').first().click();
    await page
      .getByRole('heading', { name: /repeated-failure/u })
      .first()
      .waitFor();
    expect(new URL(page.url()).hash).toContain('/why?at=');
    expect(page.problems).toEqual([]);
  });

  it('plots usage and rule proximity, and has an event axis', async () => {
    const page = await opened();
    await page.getByRole('img', { name: /^tokens: /u }).waitFor();
    await page.getByRole('img', { name: /^memory: .* at most/u }).waitFor();
    expect(await page.getByRole('img', { name: /^nearest rule: .* at most 75 %/u }).count()).toBe(1);
    await page.getByRole('button', { name: 'events', exact: true }).click();
    await expect.poll(async () => (await listTickTexts(page))[0]).toBe('1');
    expect(page.problems).toEqual([]);
  });

  it('draws open spans up to the current time', async () => {
    const wasSeen = Promise.withResolvers<void>();
    const id = await world().begin('Take your time', [
      { text: 'one word after the other, slowly', until: wasSeen.promise },
    ]);
    const page = await world().page(`#/s/${id}/timeline`);
    const open = page.locator('.strip-block.model.open rect');
    await open.waitFor();
    const width = async (): Promise<number> =>
      Number(
        (await page.locator('.timeline-said').textContent())?.match(/for ([\d.]+) (?:s|ms) so far/u)?.[1] ??
          0,
      );
    await expect.poll(width).toBeGreaterThan(0);
    wasSeen.resolve();
    await world().until(id, 'waitingForUser');
    await open.waitFor({ state: 'detached' });
    expect(page.problems).toEqual([]);
  });

  it('has a text version', async () => {
    const page = await opened();
    await page.getByText('Visible spans as text').click();
    await page.locator('.timeline-list button', { hasText: 'waiting for permission' }).click();
    await expect.poll(() => new URL(page.url()).hash).toContain('at=');
    expect(page.problems).toEqual([]);
  });
});

function listTickTexts(page: Page): Promise<readonly string[]> {
  return page.locator('.strip-ticks text').allTextContents();
}
