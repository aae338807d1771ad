import { describe, expect, it } from 'vitest';
import { useBrowserWorld } from './use-browser-world.ts';

const streamedText = 'I change it now, word by word, so that you can watch. ';

describe('a live run', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld();

  it('is preceded by a page that explains how to start one', async () => {
    const page = await world().page();
    await page.getByText('No runs yet').waitFor();
    expect(await page.getByRole('main').textContent()).toContain('pawl run');
    expect(page.problems).toEqual([]);
  });

  it('is shown from start to finish and approved on the approvals page', async () => {
    const page = await world().page('#/approvals');
    await page.getByText('Nothing is waiting for you').waitFor();
    const isWatched = Promise.withResolvers<void>();
    const wasSeen = Promise.withResolvers<void>();
    const id = await world().begin('Repair the sum', [
      {
        text: streamedText,
        from: isWatched.promise,
        until: wasSeen.promise,
        calls: [{ tool: 'edit', args: { path: 'sum.js', old: 'a - b', new: 'a + b' } }],
      },
      { text: 'Repaired.' },
    ]);
    const transcriptPage = await world().page(`#/s/${id}/transcript`);
    await transcriptPage.getByText('waiting for a reply').waitFor();
    isWatched.resolve();
    await transcriptPage.locator('.streaming').getByText(streamedText.trim()).waitFor();
    wasSeen.resolve();
    const card = page.locator('.approval');
    await card.waitFor();
    expect(await card.textContent()).toContain('changes files');
    expect(await card.locator('.approval-about').textContent()).toContain('a + b');
    await transcriptPage.locator('.item.call[data-state="awaiting approval"]').waitFor();
    await card.getByRole('button', { name: 'Allow' }).click();
    await transcriptPage.locator('.item.call[data-state=done]').waitFor();
    await transcriptPage.getByText('Repaired.').waitFor();
    await page.getByText('Nothing is waiting for you').waitFor();
    await transcriptPage.locator('.session-header [data-status=waitingForUser]').waitFor();
    expect(page.problems).toEqual([]);
    expect(transcriptPage.problems).toEqual([]);
  });

  it('is denied a call in the transcript with a reason for the model', async () => {
    const id = await world().begin('Repair it again', [
      { calls: [{ tool: 'write', args: { path: 'evil.js', text: 'x' } }] },
      { text: 'Then I leave it.' },
    ]);
    const page = await world().page(`#/s/${id}/transcript`);
    await page.getByLabel('Reason for the model').fill('not this file');
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
    await page.getByText('Nothing is waiting for you').waitFor();
    await world().until(id, 'waitingForUser');
    expect(page.problems).toEqual([]);
  });

  it('is steered, paused, resumed, given a phase and finished', async () => {
    const steered = Promise.withResolvers<void>();
    const id = await world().begin('Take your time', [
      { text: streamedText, until: steered.promise, calls: [{ tool: 'read', args: { path: 'notes.md' } }] },
      { text: 'I heard you.', calls: [{ tool: 'edit', args: { path: 'sum.js', old: 'no', new: 'yes' } }] },
      { text: 'This is the answer.' },
    ]);
    const page = await world().page(`#/s/${id}/transcript`);
    await page.getByText('waiting for a reply').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.type('Look at the notes too');
    await page.keyboard.press('Enter');
    await page.locator('.item.said').filter({ hasText: 'Look at the notes too' }).waitFor();
    expect(await page.locator('.item.said').nth(1).textContent()).toContain('you (steering)');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('.session-header [data-status=paused]').waitFor();
    steered.resolve();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('.session-header [data-status=awaitingPermission]').waitFor();
    await page.getByRole('button', { name: 'Phase' }).click();
    await page.getByLabel('Description').fill('The end');
    await page.getByRole('button', { name: 'Start phase' }).click();
    await page.getByText('Phase 1 started').waitFor();
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByLabel('Reason (recorded in the log)').fill('that is enough');
    await page.getByRole('dialog').getByRole('button', { name: 'Finish' }).click();
    await page.getByText('Finish requested', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('This is the answer.').waitFor();
    expect(page.problems).toEqual([]);
  });

  it('is cancelled and then halted', async () => {
    const id = await world().begin('Go on for ever', [{ text: streamedText, until: new Promise(() => {}) }]);
    const page = await world().page(`#/s/${id}/transcript`);
    await page.getByText('waiting for a reply').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel turn' }).click();
    await page.locator('.session-header [data-status=waitingForUser]').waitFor();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Halt' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Halt' }).click();
    await page.locator('.session-header [data-status=halted]').waitFor();
    await page.getByText('This session is closed').first().waitFor();
    expect(page.problems).toEqual([]);
  });

  it('continues after a server restart without losing or repeating events', async () => {
    const away = Promise.withResolvers<void>();
    const id = await world().begin('Keep going', [
      { text: 'First the notes.', calls: [{ tool: 'read', args: { path: 'notes.md' } }] },
      { text: streamedText, until: away.promise, calls: [{ tool: 'read', args: { path: 'sum.js' } }] },
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

  it('shows that the page is signed out after its session expires', async () => {
    // Uses its own browser context, so that other pages stay signed in.
    const page = await world().page('#/', {});
    await page.locator('[data-connection=live]').first().waitFor();
    await page.context().clearCookies();
    await world().stopServer();
    await world().startServer();
    await page.getByText('This page is not signed in').waitFor();
  });
});
