import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graveProblems } from './axe.ts';
import { repairSession } from './chart-sessions.ts';
import { sideways } from './chart-width.ts';
import { noBrowser, start, type Started } from './started.ts';

describe.skipIf(noBrowser !== null)('two runs side by side', () => {
  let world: Started;

  beforeAll(async () => {
    world = await start();
    const one = repairSession('one', Date.now() - 600_000);
    await world.keep(one.session, one.events);
    const other = repairSession('other', Date.now() - 300_000);
    const last = { type: 'model-replied', text: 'I give up.', calls: [], at: Date.now() } as const;
    await world.keep(other.session, [...other.events.slice(0, -1), last]);
  });
  afterAll(() => world.close());

  it('are chosen from the list, and part where they part', async () => {
    const page = await world.page('#/compare');
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
    const page = await world.page('#/compare?a=one&b=other&at=5');
    const first = page.getByRole('region', { name: 'The first run after event 5' });
    await first.getByText('running tools').waitFor();
    await page.locator('.compare-list').focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('region', { name: 'The second run after event 6' }).waitFor();
    expect(new URL(page.url()).hash).toContain('at=6');
    expect(page.problems).toEqual([]);
  });

  it('say what is wrong where one of them is not there', async () => {
    const page = await world.page('#/compare?a=one&b=nobody');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('nobody');
  });

  it.each(['light', 'dark'] as const)('can be used by everybody, %s', async (colorScheme) => {
    const page = await world.page('#/compare?a=one&b=other', { colorScheme });
    await page.locator('.compare-row').first().waitFor();
    expect(await graveProblems(page)).toEqual([]);
  });

  it('fit a phone, as does the fleet', async () => {
    const page = await world.page('#/compare?a=one&b=other', { viewport: { width: 390, height: 800 } });
    await page.locator('.compare-row').first().waitFor();
    expect(await sideways(page)).toBe(0);
    await page.goto(`${world.url}/#/fleet`);
    await page.getByRole('heading', { name: 'One machine, no queue' }).waitFor();
    expect(await sideways(page)).toBe(0);
    expect(await graveProblems(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });
});
