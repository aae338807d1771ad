import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graveProblems } from './axe.ts';
import { sideways } from './chart-width.ts';
import { noBrowser, start, type Started } from './started.ts';

/** A run of another agent that reads one file again and again. */
const loop = JSON.stringify([
  { role: 'user', content: 'find the bug <img src=x onerror=alert(1)>' },
  ...Array.from({ length: 6 }, (_, index) => [
    { role: 'assistant', content: null, tool_calls: [called(`c${index}`)] },
    { role: 'tool', tool_call_id: `c${index}`, content: 'nothing new' },
  ]).flat(),
  { role: 'assistant', content: 'I give up.' },
]);

function called(id: string): object {
  return { id, type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } };
}

describe.skipIf(noBrowser !== null)('a recorded run', () => {
  let world: Started;

  beforeAll(async () => {
    world = await start();
  });
  afterAll(() => world.close());

  it('is read from a file, judged, and opened in every view', async () => {
    const page = await world.page('#/import');
    const file = { name: 'loop.json', mimeType: 'application/json', buffer: Buffer.from(loop) };
    await page.locator('input[type=file]').setInputFiles([file]);
    const row = page.locator('.import-file tbody tr');
    await row.waitFor();
    expect(await row.locator('.import-level').textContent()).toBe('stop');
    expect(await row.textContent()).toContain('repeated-call');
    await row.getByRole('button', { name: 'why' }).click();
    await page.getByRole('heading', { name: /read was called 4 times in a row/u }).waitFor();
    await page.getByRole('img', { name: /finish at 4/u }).waitFor();
    expect(await page.getByRole('group', { name: 'Was this verdict right?' }).count()).toBe(0);
    for (const [tab, shown] of shownIn) {
      await page.getByRole('tab', { name: tab }).click();
      await page.locator(shown).first().waitFor();
    }
    expect(page.problems).toEqual([]);
  });

  it('is dropped onto the page', async () => {
    const page = await world.page('#/import');
    await page.locator('.import-drop').waitFor();
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(loop)}], 'dropped.json', { type: 'application/json' }));
      return data;
    })()`);
    await page.locator('.import-drop').dispatchEvent('drop', { dataTransfer: transfer });
    await page.getByRole('link', { name: /dropped/u }).waitFor();
    expect(page.problems).toEqual([]);
  });

  it('is pasted; what is none is told so, and the list is there when one comes back', async () => {
    const page = await world.page('#/import');
    await page.getByText('Paste a run instead').click();
    const field = page.getByLabel('A recorded run as JSON or JSON lines');
    await field.fill('{"half": ');
    await page.getByRole('button', { name: 'Read it' }).click();
    await page.getByText('0 runs were read; one piece could not be.').waitFor();
    await field.fill(loop);
    await page.getByRole('button', { name: 'Read it' }).click();
    await page.getByRole('link', { name: /pasted/u }).click();
    await page.getByRole('tab', { name: 'transcript' }).waitFor();
    await page.goBack();
    await page.getByText('One run was read.').waitFor();
    expect(page.problems).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('is read by everybody, %s', async (colorScheme) => {
    const page = await world.page('#/import', { colorScheme, viewport: { width: 390, height: 800 } });
    const file = { name: 'loop.json', mimeType: 'application/json', buffer: Buffer.from(loop) };
    await page.locator('input[type=file]').setInputFiles([file]);
    await page.locator('.import-file tbody tr').waitFor();
    expect(await graveProblems(page)).toEqual([]);
    expect(await sideways(page)).toBe(0);
  });
});

const shownIn = [
  ['timeline', '.strip-block'],
  ['chart', '.chart-state.current'],
  ['governor', '.gov-rule'],
  ['memory', '.mem-view'],
] as const;
