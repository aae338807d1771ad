import { describe, expect, it } from 'vitest';
import { useBrowserWorld } from './use-browser-world.ts';

describe('a stored session', { tags: ['chromium'] }, () => {
  let id = '';
  const world = useBrowserWorld(async (newWorld) => {
    id = await newWorld.begin('Find what is wrong', [
      { text: 'I read the notes.', calls: [{ tool: 'read', args: { path: 'notes.md' } }] },
      { text: 'Now a file that is not there.', calls: [{ tool: 'read', args: { path: 'missing.md' } }] },
      { text: 'The sum is wrong.' },
    ]);
    await newWorld.until(id, 'waitingForUser');
  });

  it('has a transcript with expandable tool cards', async () => {
    const page = await world().page(`#/s/${id}/transcript`);
    const card = page.locator('.item.call').first();
    await card.waitFor();
    expect(await card.textContent()).toContain('notes.md');
    expect(await card.locator('.card-body').count()).toBe(0);
    await card.getByRole('button').first().click();
    expect(await card.locator('.card-body').textContent()).toContain('The sum is wrong.');
    const failed = page.locator('.item.call').nth(1);
    expect(await failed.locator('.bad-text').textContent()).toContain('missing.md');
    await page.getByText('The sum is wrong.', { exact: true }).waitFor();
    expect(page.problems).toEqual([]);
  });

  it('shows the exact prompt of every reply', async () => {
    const page = await world().page(`#/s/${id}/transcript`);
    await page.getByRole('button', { name: 'exact prompt' }).nth(1).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Find what is wrong').waitFor();
    const text = await dialog.textContent();
    expect(text).toContain('You repair small programs.');
    expect(text).toContain('Result of read');
    expect(text).not.toContain('Now a file that is not there.');
    await dialog.getByRole('button', { name: 'JSON', exact: true }).click();
    expect(await dialog.textContent()).toContain('"messages"');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(page.problems).toEqual([]);
  });

  it('lists events and shows the state changes of the event in the address', async () => {
    const page = await world().page(`#/s/${id}/events?at=2`);
    await page.locator('#event-2.chosen').waitFor();
    await page.getByRole('heading', { name: '#2 model-replied' }).waitFor();
    const changes = page.locator('.diff');
    expect(await changes.textContent()).toContain('turn.status');
    expect(await changes.locator('.change', { hasText: 'turn.status' }).textContent()).toContain(
      'executingTools',
    );
    await page.keyboard.press(']');
    await page.locator('#event-3.chosen').waitFor();
    await page.waitForURL(/at=3/u);
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    expect(await page.locator('.event-detail').textContent()).toContain('"type": "tool-started"');
    expect(page.problems).toEqual([]);
  });

  it('filters its events', async () => {
    const page = await world().page(`#/s/${id}/events`);
    await page.locator('.event-row').first().waitFor();
    const all = await page.locator('.event-row').count();
    await page.getByLabel('failed only').check();
    await page.getByText(`1 of ${all} events`).waitFor();
    expect(await page.locator('.event-row').textContent()).toContain('missing.md');
    await page.getByLabel('failed only').uncheck();
    await page.getByRole('button', { name: 'model', exact: true }).click();
    await page.getByText(`3 of ${all} events`).waitFor();
    await page.getByRole('button', { name: 'all', exact: true }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('notes.md');
    await page.getByText(new RegExp(`^[12] of ${all} events$`, 'u')).waitFor();
    await page.keyboard.type(' nothing like it');
    await page.getByText('No matching events').waitFor();
    expect(page.problems).toEqual([]);
  });

  it('is rewound and forked', async () => {
    const page = await world().page(`#/s/${id}/transcript`);
    await page.getByText('The sum is wrong.', { exact: true }).waitFor();
    await page.getByRole('slider').fill('2');
    await page.getByText('The sum is wrong.', { exact: true }).waitFor({ state: 'detached' });
    expect(await page.locator('.place').textContent()).toContain('2 of ');
    expect(await page.locator('.session-header [data-status]').getAttribute('data-status')).toBe(
      'executingTools',
    );
    expect(await page.locator('.item.call .call-state').textContent()).toContain('queued');
    await page.getByRole('button', { name: 'Fork' }).click();
    await page.waitForURL((url) => !url.hash.includes(id) && url.hash.includes('/s/'));
    await page.getByText('forked from').waitFor();
    const fork = /#\/s\/([^/]+)/u.exec(page.url())?.[1] ?? '';
    const { parent } = await world().store.open(fork);
    expect(parent).toEqual({ id, at: 2 });
    expect(page.problems).toEqual([]);
  });

  it('is stepped through with the keyboard and played', async () => {
    const page = await world().page(`#/s/${id}/events?at=1`);
    await page.locator('#event-1.chosen').waitFor();
    await page.keyboard.press('}');
    await page.locator('#event-2.chosen').waitFor();
    await page.keyboard.press('0');
    await page.getByRole('heading', { name: 'As created' }).waitFor();
    await page.keyboard.press('P');
    await page.getByRole('button', { name: 'Following' }).waitFor();
    // Playback has stopped by now and does not override a manual step.
    expect(await page.getByRole('button', { name: 'Stop playing' }).count()).toBe(0);
    await page.keyboard.press('k');
    await page.getByRole('button', { name: 'Go to latest' }).waitFor();
    await page.keyboard.press('.');
    await page.getByRole('button', { name: 'Following' }).waitFor();
    expect(page.problems).toEqual([]);
  });

  it('restores view and event through the browser history', async () => {
    const page = await world().page(`#/s/${id}/events?at=2`);
    await page.locator('#event-2.chosen').waitFor();
    await page.keyboard.press(']');
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.locator('#tab-transcript[aria-selected=true]').waitFor();
    expect(page.url()).toContain('/transcript?at=3');
    await page.goBack();
    await page.locator('#event-3.chosen').waitFor();
    await page.goForward();
    await page.locator('#tab-transcript[aria-selected=true]').waitFor();
    expect(page.problems).toEqual([]);
  });

  it('is copied as a link, as JSON and as cURL without the token', async () => {
    const page = await world().page(`#/s/${id}/events?at=2`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const copied = async (name: string): Promise<string> => {
      await page.getByRole('button', { name }).first().click();
      await page.getByText('Copied').first().waitFor();
      return String(await page.evaluate('navigator.clipboard.readText()'));
    };
    await page.locator('#event-2.chosen').waitFor();
    expect(JSON.parse(await copied('Copy as JSON'))).toMatchObject({
      seq: 2,
      event: { type: 'model-replied' },
    });
    await page.getByText('Copy', { exact: true }).click();
    expect(await copied('Link to this event')).toBe(`${world().url}/#/s/${id}/events?at=2`);
    const curl = await copied('cURL of the events');
    expect(curl).toContain(`${world().url}/api/v1/sessions/${id}/events`);
    expect(curl).not.toContain(world().token);
  });
});
