import { describe, expect, it } from 'vitest';
import { viewSelectors } from './page-checks.ts';
import { useBrowserWorld } from './use-browser-world.ts';

const hostileText = [
  '<img src=x onerror="window.hit=1">',
  '</script><script>window.hit=2</script>',
  '<svg onload=window.hit=3>',
  '[link](javascript:window.hit=4)',
  '\u202Egnp.exe\u202C \u001b[31mred\u001b]0;title\u0007 \u0000',
  '{{constructor.constructor("window.hit=5")()}}',
].join('\n');

describe('hostile text from models and tools', { tags: ['chromium'] }, () => {
  let id = '';
  const world = useBrowserWorld(async (newWorld) => {
    const long = 'x'.repeat(1_000_000);
    id = await newWorld.begin(hostileText, [
      {
        text: hostileText,
        calls: [
          {
            id: hostileText,
            tool: '<b>tool</b>',
            args: { path: hostileText, __proto__x: hostileText, '<i>': hostileText },
          },
        ],
      },
      {
        text: `${hostileText}\n${long}`,
        calls: [{ tool: 'write', args: { path: hostileText, text: hostileText } }],
      },
    ]);
    await newWorld.until(id, 'awaitingPermission');
  });

  it('is inert on every page and in every view', async () => {
    const page = await world().page('#/');
    const addresses = [
      ['#/', '.run-row a'],
      ['#/approvals', '.approval'],
      ['#/fleet', 'main h2'],
      ...Object.entries(viewSelectors).map(([view, shows]) => [`#/s/${id}/${view}`, shows]),
    ] as const;
    for (const [address = '', shows = ''] of addresses) {
      await page.goto(`${world().url}/${address}`);
      await page.locator(shows).first().waitFor();
      const result = await page.evaluate(
        `[window.hit ?? null, document.querySelectorAll('main img, main script, main svg[onload], main a[href^="javascript"], main b').length, document.body.innerText.includes('\\u202e')]`,
      );
      expect([address, result]).toEqual([address, [null, 0, false]]);
    }
    expect(page.problems).toEqual([]);
  });

  it('is shown verbatim, including a line of a million characters', async () => {
    const page = await world().page(`#/s/${id}/transcript`);
    await page.getByText('<img src=x onerror="window.hit=1">').first().waitFor();
    expect(await page.locator('.item.reply').first().textContent()).toContain(
      '\\u202egnp.exe\\u202c \\x1b[31mred',
    );
    const reply = page.locator('.item.reply').last();
    const showAll = reply.getByRole('button', { name: /Show all 1,000,\d+ characters/u });
    await showAll.click();
    expect((await reply.textContent())?.length).toBeGreaterThan(1_000_000);
    const overflows = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
    expect(overflows).toBe(false);
    expect(page.problems).toEqual([]);
  });

  it('is inert in the prompt, the event details and an expanded card', async () => {
    const page = await world().page(`#/s/${id}/transcript`);
    await page.locator('.item.call').first().getByRole('button').first().click();
    await page.getByRole('button', { name: 'exact prompt' }).last().click();
    await page.getByRole('dialog').getByText('Result of').first().waitFor();
    await page.goto(`${world().url}/#/s/${id}/events?at=2`);
    await page.getByRole('heading', { name: '#2 model-replied' }).waitFor();
    await page.getByRole('button', { name: 'State', exact: true }).click();
    expect(await page.evaluate('window.hit ?? null')).toBeNull();
    expect(page.problems).toEqual([]);
  });
});
