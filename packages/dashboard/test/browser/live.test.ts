import { describe, expect, it } from 'vitest';
import { useBrowserWorld } from './use-browser-world.ts';

const words = 'I change it now, word by word, so that you can watch. ';

describe('a run that is watched', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld();

  it('is begun from a page that says how, while there is none', async () => {
    const page = await world().page();
    await page.getByText('There is no run yet').waitFor();
    expect(await page.getByRole('main').textContent()).toContain('pawl run');
    expect(page.problems).toEqual([]);
  });

  it('is seen from start to finish, with an approval clicked in the inbox', async () => {
    const page = await world().page('#/approvals');
    await page.getByText('Nothing waits for you').waitFor();
    const watched = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<void>();
    const id = await world().begin('Repair the sum', [
      {
        text: words,
        from: watched.promise,
        until: seen.promise,
        calls: [{ tool: 'edit', args: { path: 'sum.js', old: 'a - b', new: 'a + b' } }],
      },
      { text: 'Repaired.' },
    ]);
    const watching = await world().page(`#/s/${id}/transcript`);
    await watching.getByText('is being asked').waitFor();
    watched.resolve();
    await watching.locator('.streaming').getByText(words.trim()).waitFor();
    seen.resolve();
    const card = page.locator('.approval');
    await card.waitFor();
    expect(await card.textContent()).toContain('changes files');
    expect(await card.locator('.approval-about').textContent()).toContain('a + b');
    await watching.locator('.item.call[data-state="asks for permission"]').waitFor();
    await card.getByRole('button', { name: 'Allow' }).click();
    await watching.locator('.item.call[data-state=done]').waitFor();
    await watching.getByText('Repaired.').waitFor();
    await page.getByText('Nothing waits for you').waitFor();
    await watching.locator('.session-header [data-status=waitingForUser]').waitFor();
    expect(page.problems).toEqual([]);
    expect(watching.problems).toEqual([]);
  });

  it('is denied a call in the transcript, with a word to the model', async () => {
    const id = await world().begin('Repair it again', [
      { calls: [{ tool: 'write', args: { path: 'evil.js', text: 'x' } }] },
      { text: 'Then I leave it.' },
    ]);
    const page = await world().page(`#/s/${id}/transcript`);
    await page.getByLabel('A word to the model about it').fill('not this file');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Then I leave it.').waitFor();
    expect(await page.locator('.item.call .bad-text').textContent()).toContain('not this file');
    expect(page.problems).toEqual([]);
  });

  it('is allowed a call with the keyboard alone', async () => {
    const id = await world().begin('Write a note', [
      { calls: [{ tool: 'write', args: { path: 'note.md', text: 'x' } }] },
      { text: 'Written down.' },
    ]);
    await world().until(id, 'awaitingPermission');
    const page = await world().page();
    await page.getByRole('link', { name: 'Write a note' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.locator('.approval').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('y');
    await page.getByText('Nothing waits for you').waitFor();
    await world().until(id, 'waitingForUser');
    expect(page.problems).toEqual([]);
  });

  it('is steered, paused and resumed, given a phase, and asked to finish', async () => {
    const steered = Promise.withResolvers<void>();
    const id = await world().begin('Take your time', [
      { text: words, until: steered.promise, calls: [{ tool: 'read', args: { path: 'notes.md' } }] },
      { text: 'I heard you.', calls: [{ tool: 'edit', args: { path: 'sum.js', old: 'no', new: 'yes' } }] },
      { text: 'This is the answer.' },
    ]);
    const page = await world().page(`#/s/${id}/transcript`);
    await page.getByText('is being asked').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.type('Look at the notes too');
    await page.keyboard.press('Enter');
    await page.locator('.item.said').filter({ hasText: 'Look at the notes too' }).waitFor();
    expect(await page.locator('.item.said').nth(1).textContent()).toContain('you, while it worked');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('.session-header [data-status=paused]').waitFor();
    steered.resolve();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('.session-header [data-status=awaitingPermission]').waitFor();
    await page.getByRole('button', { name: 'Phase' }).click();
    await page.getByLabel('What it is about').fill('The end');
    await page.getByRole('button', { name: 'Begin phase' }).click();
    await page.getByText('Phase 1 begins').waitFor();
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByLabel('Why (goes on record)').fill('that is enough');
    await page.getByRole('dialog').getByRole('button', { name: 'Finish' }).click();
    await page.getByText('Asked to finish', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('This is the answer.').waitFor();
    expect(page.problems).toEqual([]);
  });

  it('is cancelled, and then halted for good', async () => {
    const id = await world().begin('Go on for ever', [{ text: words, until: new Promise(() => {}) }]);
    const page = await world().page(`#/s/${id}/transcript`);
    await page.getByText('is being asked').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel the work' }).click();
    await page.locator('.session-header [data-status=waitingForUser]').waitFor();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Halt' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Halt' }).click();
    await page.locator('.session-header [data-status=halted]').waitFor();
    await page
      .getByText('It has ended for good')
      .or(page.getByText('This session has ended'))
      .first()
      .waitFor();
    expect(page.problems).toEqual([]);
  });

  it('goes on after the server was away, and no event is lost or seen twice', async () => {
    const away = Promise.withResolvers<void>();
    const id = await world().begin('Keep going', [
      { text: 'First the notes.', calls: [{ tool: 'read', args: { path: 'notes.md' } }] },
      { text: words, until: away.promise, calls: [{ tool: 'read', args: { path: 'sum.js' } }] },
      { text: 'I went on all the while.' },
    ]);
    const page = await world().page(`#/s/${id}/events`);
    await page.locator('#event-4').waitFor();
    await world().stopServer();
    await page.locator('.session-header [data-connection=waiting]').waitFor();
    const seenBefore = await page.locator('.event-row').count();
    away.resolve();
    await world().until(id, 'waitingForUser');
    await world().startServer();
    await page.locator('.session-header [data-status=waitingForUser]').waitFor();
    const { head } = await world().store.open(id);
    expect(head).toBeGreaterThan(seenBefore);
    await page.locator(`#event-${head}`).waitFor();
    const shown = await page.locator('.event-row .event-seq').allTextContents();
    expect(shown.map(Number)).toEqual(Array.from({ length: head }, (_, index) => index + 1));
    await page.locator('[data-connection=live]').first().waitFor();
  });

  it('says so when the server no longer knows the page', async () => {
    // In a browser of its own: the others stay signed in.
    const page = await world().page('#/', {});
    await page.locator('[data-connection=live]').first().waitFor();
    await page.context().clearCookies();
    await world().stopServer();
    await world().startServer();
    await page.getByText('This page is not signed in').waitFor();
  });
});
