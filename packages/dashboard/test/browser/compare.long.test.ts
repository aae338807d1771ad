import { describe, expect, it } from 'vitest';
import { createTwoRuns } from './recorded-sessions.ts';
import { useBrowserWorld } from './use-browser-world.ts';

describe('the comparison of two runs', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld(async (newWorld) => {
    for (const { session, events } of createTwoRuns()) await newWorld.keep(session, events);
  });

  it('shows where the selected runs diverge', async () => {
    const page = await world().page('#/compare');
    await page.getByRole('heading', { name: 'Choose two runs' }).waitFor();
    await page.getByLabel('First run').selectOption('one');
    await page.getByLabel('Second run').selectOption('other');
    await page
      .getByText(/^The first \d+ events are identical except for times; then the runs diverge\.$/u)
      .waitFor();
    const answer = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: /answer$/u }) });
    expect(await answer.getAttribute('class')).toBe('differs');
    expect(await answer.textContent()).toContain('I give up.');
    expect(await page.locator('.compare-row.parts').getAttribute('aria-current')).toBe('true');
    expect(page.problems).toEqual([]);
  });

  it('shows the state of each run at the selected pair of events', async () => {
    const page = await world().page('#/compare?a=one&b=other&at=5');
    const first = page.getByRole('region', { name: 'First run after event 5' });
    await first.getByText('running tools').waitFor();
    await page.locator('.compare-list').focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('region', { name: 'Second run after event 6' }).waitFor();
    expect(new URL(page.url()).hash).toContain('at=6');
    expect(page.problems).toEqual([]);
  });

  it('shows an error if a run does not exist', async () => {
    const page = await world().page('#/compare?a=one&b=nobody');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('nobody');
  });
});
