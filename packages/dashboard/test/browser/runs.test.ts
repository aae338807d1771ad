import { describe, expect, it } from 'vitest';
import { useBrowserWorld } from './use-browser-world.ts';

describe('the list of runs', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld(async (newWorld) => {
    const repair = await newWorld.begin('Repair the sum', [
      { text: 'I will.', calls: [{ tool: 'edit', args: { path: 'sum.js', old: 'a - b', new: 'a + b' } }] },
    ]);
    await newWorld.until(repair, 'awaitingPermission');
    const notes = await newWorld.begin('Read the notes', [{ text: 'They say that the sum is wrong.' }]);
    await newWorld.until(notes, 'waitingForUser');
  });

  it('shows every run with its status and the number of pending approvals', async () => {
    const page = await world().page();
    await page.getByRole('link', { name: 'Repair the sum' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Repair the sum' });
    expect(await row.textContent()).toContain('awaiting permission');
    expect(await row.textContent()).toContain('1 to decide');
    expect(await page.getByRole('row').count()).toBe(3);
    expect(await page.getByLabel('1 waiting').count()).toBe(1);
    expect(page.problems).toEqual([]);
  });

  it('stores filter and search in the address', async () => {
    const page = await world().page();
    await page.getByRole('button', { name: /needs you/u }).click();
    await page.getByRole('link', { name: 'Read the notes' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: /^all/u }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('notes');
    await page.getByRole('link', { name: 'Repair the sum' }).waitFor({ state: 'detached' });
    await page.waitForURL(/q=notes/u);
    await page.reload();
    await page.getByRole('link', { name: 'Read the notes' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('searchbox').fill('there is no such run');
    await page.getByText('No matching runs').waitFor();
    await page.getByRole('button', { name: 'Show all runs' }).click();
    await page.getByRole('link', { name: 'Repair the sum' }).waitFor();
    expect(page.problems).toEqual([]);
  });

  it('saves named views across reloads', async () => {
    const page = await world().page('#/?show=needs+you');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name of the view').fill('for me');
    await page.keyboard.press('Enter');
    await page.goto(`${world().url}/#/`);
    await page.reload();
    await page.getByRole('button', { name: 'for me', exact: true }).click();
    await page.waitForURL(/show=needs/u);
    await page.getByRole('button', { name: 'Delete the view for me' }).click();
    expect(await page.getByRole('button', { name: 'for me', exact: true }).count()).toBe(0);
  });

  it('shows new runs and their status changes live', async () => {
    const page = await world().page();
    await page.getByRole('link', { name: 'Repair the sum' }).waitFor();
    const wasSeen = Promise.withResolvers<void>();
    await world().begin('Say hello slowly', [{ text: 'Hello to you.', until: wasSeen.promise }]);
    const row = page.getByRole('row').filter({ hasText: 'Say hello slowly' });
    await row.getByText('calling the model').waitFor();
    wasSeen.resolve();
    await row.getByText('waiting for you').waitFor();
    expect(page.problems).toEqual([]);
  });

  it('starts a run with the keyboard and opens it', async () => {
    world().script('Count to three', [{ text: 'One, two, three.' }]);
    const page = await world().page();
    await page.getByRole('link', { name: 'Repair the sum' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('Count to three');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/#\/s\/.+\/transcript/u);
    await page.getByText('One, two, three.').waitFor();
    expect(page.problems).toEqual([]);
  });

  it('is navigable with the keyboard', async () => {
    const page = await world().page('#/?q=Repair');
    await page.getByRole('link', { name: 'Repair the sum' }).waitFor();
    await page.keyboard.press('j');
    await page.locator('.run-row.chosen').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Repair the sum' }).waitFor();
    for (const [key, tab] of [
      ['e', 'events'],
      ['c', 'chart'],
      ['l', 'timeline'],
      ['w', 'why'],
      ['g', 'governor'],
      ['m', 'memory'],
      ['t', 'transcript'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.locator(`#tab-${tab}[aria-selected=true]`).waitFor();
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await page.getByRole('dialog').textContent()).toContain('Pause or resume');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    expect(page.problems).toEqual([]);
  });

  it('explains empty and unknown pages', async () => {
    const page = await world().page('#/nowhere');
    await page.getByText('Page not found').waitFor();
    await page.goto(`${world().url}/#/s/no-such-session/events`);
    await page.getByRole('alert').waitFor();
    await page.goto(`${world().url}/#/i/5/why`);
    await page.getByText('This run is no longer available').waitFor();
  });
});
