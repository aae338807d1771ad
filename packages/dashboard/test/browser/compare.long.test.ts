import { describe, expect, it } from 'vitest';
import { createTwoRuns } from './recorded-sessions.ts';
import { useBrowserWorld } from './use-browser-world.ts';

describe('two runs side by side', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld(async (made) => {
    for (const { session, events } of createTwoRuns()) await made.keep(session, events);
  });

  it('are chosen from the list, and part where they part', async () => {
    const page = await world().page('#/compare');
    await page.getByRole('heading', { name: 'Choose two runs' }).waitFor();
    await page.getByLabel('First run').selectOption('one');
    await page.getByLabel('Second run').selectOption('other');
    await page.getByText(/^The first \d+ events are the same, times aside; then they part\.$/u).waitFor();
    const answer = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: /answer$/u }) });
    expect(await answer.getAttribute('class')).toBe('differs');
    expect(await answer.textContent()).toContain('I give up.');
    expect(await page.locator('.compare-row.parts').getAttribute('aria-current')).toBe('true');
    expect(page.problems).toEqual([]);
  });

  it('show the state of each at the pair of events that is chosen', async () => {
    const page = await world().page('#/compare?a=one&b=other&at=5');
    const first = page.getByRole('region', { name: 'The first run after event 5' });
    await first.getByText('running tools').waitFor();
    await page.locator('.compare-list').focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('region', { name: 'The second run after event 6' }).waitFor();
    expect(new URL(page.url()).hash).toContain('at=6');
    expect(page.problems).toEqual([]);
  });

  it('say what is wrong where one of them is not there', async () => {
    const page = await world().page('#/compare?a=one&b=nobody');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('nobody');
  });
});
