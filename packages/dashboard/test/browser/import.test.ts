import { describe, expect, it } from 'vitest';
import { loopFile, loopText } from './imported-run.ts';
import { viewSelectors } from './page-checks.ts';
import { useBrowserWorld } from './use-browser-world.ts';

describe('a recorded run', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld();

  it('is imported from a file, audited, and opened in every view', async () => {
    const page = await world().page('#/import');
    await page.locator('input[type=file]').setInputFiles([loopFile]);
    const row = page.locator('.import-file tbody tr');
    await row.waitFor();
    expect(await row.locator('.import-severity').textContent()).toBe('stop');
    expect(await row.textContent()).toContain('repeated-call');
    await row.getByRole('button', { name: 'why' }).click();
    await page.getByRole('heading', { name: /read was called 4 times in a row/u }).waitFor();
    await page.getByRole('img', { name: /stop at 4/u }).waitFor();
    expect(await page.getByRole('group', { name: 'Was this verdict right?' }).count()).toBe(0);
    for (const tab of ['timeline', 'chart', 'governor', 'memory'] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.locator(viewSelectors[tab]).first().waitFor();
    }
    expect(page.problems).toEqual([]);
  });

  it('is imported by drag and drop', async () => {
    const page = await world().page('#/import');
    await page.locator('.import-drop').waitFor();
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(loopText)}], 'dropped.json', { type: 'application/json' }));
      return data;
    })()`);
    await page.locator('.import-drop').dispatchEvent('drop', { dataTransfer: transfer });
    await page.getByRole('link', { name: /dropped/u }).waitFor();
    expect(page.problems).toEqual([]);
  });

  it('is imported from pasted text, reports invalid input, and keeps the list after navigation', async () => {
    const page = await world().page('#/import');
    await page.getByText('Paste a run instead').click();
    const field = page.getByLabel('A recorded run as JSON or JSON lines');
    await field.fill('{"half": ');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('0 runs imported, 1 problem.').waitFor();
    await field.fill(loopText);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('link', { name: /pasted/u }).click();
    await page.getByRole('tab', { name: 'transcript' }).waitFor();
    await page.goBack();
    await page.getByText('1 run imported.').waitFor();
    expect(page.problems).toEqual([]);
  });
});
