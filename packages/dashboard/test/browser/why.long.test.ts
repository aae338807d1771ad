import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createRepairSession } from './recorded-sessions.ts';
import { useBrowserWorld } from './use-browser-world.ts';

const { session, events } = createRepairSession('repair', Date.now() - 600_000);

/** The event that had a call refused. */
const refusedSeq = events.findLastIndex((event) => event.type === 'tool-finished' && !event.outcome.ok) + 1;

describe('the judgement of a session', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld(async (made) => void (await made.keep(session, events)));

  describe('why something was decided', () => {
    it('is shown with the rule, its rungs, the proof side by side, the advice and what came next', async () => {
      const page = await world().page('#/s/repair/why');
      await page.locator('.why-item', { hasText: 'refuse' }).click();
      const panel = page.locator('.why-panel');
      await panel.getByRole('heading', { name: /test failed 3 times in a row/u }).waitFor();
      await panel
        .getByRole('img', { name: /^Seen 3 times. advise at 2, refuse at 3, finish at 4.$/u })
        .waitFor();
      expect(await panel.locator('.why-proofs li').count()).toBe(3);
      const diff = panel.locator('.why-diff');
      expect(await diff.locator('.why-same').allTextContents()).toEqual(['the same', 'the same']);
      expect(await diff.textContent()).toContain('expected -1 to be 5');
      const text = await panel.textContent();
      expect(text).toContain('What was put into the prompt');
      expect(text).toContain('Repeating it will fail again');
      expect(
        await panel.locator('.why-part', { hasText: 'What the model did next' }).textContent(),
      ).toContain('asked for before');
      expect(page.problems).toEqual([]);
    });

    it('shows only what had been decided by the event that is looked at', async () => {
      const page = await world().page('#/s/repair/why?at=20');
      await page.getByRole('heading', { name: 'Nothing was decided up to here' }).waitFor();
      await page.getByRole('button', { name: 'Go there' }).click();
      await page
        .locator('.why-panel')
        .getByRole('heading', { name: /test failed 2 times/u })
        .waitFor();
      expect(await page.locator('.why-item').count()).toBe(1);
      expect(page.problems).toEqual([]);
    });

    it('tells of calls that were not run, of retries and of what people decided', async () => {
      const page = await world().page('#/s/repair/why');
      await page.getByRole('button', { name: 'all decisions' }).click();
      await page.locator('.why-item', { hasText: 'a call of test was not run' }).click();
      await page.getByText('refused by the rule repeated-failure').waitFor();
      await page.locator('.why-item', { hasText: 'overloaded' }).click();
      await page.getByText(/^Try 1 failed/u).waitFor();
      await page.locator('.why-item', { hasText: 'edit-1 allowed' }).waitFor();
      expect(page.problems).toEqual([]);
    });

    it('can be marked right or wrong, which is kept', async () => {
      const page = await world().page('#/s/repair/why');
      const right = page.getByRole('button', { name: '✓ right' });
      await right.click();
      await expect.poll(() => right.getAttribute('aria-pressed')).toBe('true');
      await expect.poll(() => readFeedback(page)).toMatchObject([{ mark: 'right' }]);
      const again = await world().page('#/s/repair/why');
      await expect
        .poll(() => again.getByRole('button', { name: '✓ right' }).getAttribute('aria-pressed'))
        .toBe('true');
      await again.getByRole('button', { name: '✗ wrong' }).click();
      await again.locator('.why-given.wrong').waitFor();
      expect([...page.problems, ...again.problems]).toEqual([]);
    });

    it('can be gone through with the keyboard alone', async () => {
      const page = await world().page('#/s/repair/why');
      await page.locator('.why-panel').waitFor();
      await page.keyboard.press('k');
      await page
        .locator('.why-panel')
        .getByRole('heading', { name: /test failed 3 times/u })
        .waitFor();
      await page.keyboard.press('k');
      await page
        .locator('.why-panel')
        .getByRole('heading', { name: /test failed 2 times/u })
        .waitFor();
      await page.keyboard.press('j');
      await page
        .locator('.why-panel')
        .getByRole('heading', { name: /test failed 3 times/u })
        .waitFor();
    });
  });

  describe('what the governor makes of a session', () => {
    it('is in its header: budgets, the nearest rules, and how often it spoke', async () => {
      const page = await world().page('#/s/repair/events');
      const strip = page.getByRole('group', { name: 'Governor' });
      await strip.getByRole('meter', { name: /^tool calls: \d+ of 40$/u }).waitFor();
      expect(await strip.textContent()).toContain('spoke 3 times, last repeated-call');
      await strip.getByRole('button', { name: /^spoke 3 times/u }).click();
      await page.locator('.why-panel').waitFor();
      expect(page.problems).toEqual([]);
    });

    it('has budgets, the distance to the end, refusals, and each rule over time', async () => {
      const page = await world().page(`#/s/repair/governor?at=${refusedSeq}`);
      await page.getByRole('region', { name: 'Refused for now' }).getByText('repeated-failure').waitFor();
      expect(await page.getByRole('region', { name: 'Distance to a forced end' }).textContent()).toContain(
        '25 % left',
      );
      const rule = page.locator('.gov-rule', { hasText: 'repeated-failure' });
      await rule
        .getByRole('img', { name: /^repeated-failure over all events: 3 at the event looked at$/u })
        .waitFor();
      const seen = await page.locator('.gov-rule').count();
      await page.getByLabel('all rules').check();
      await expect.poll(() => page.locator('.gov-rule').count()).toBeGreaterThan(seen);
      expect(page.problems).toEqual([]);
    });
  });
});

/** What the server has of people's opinions on the verdicts. */
async function readFeedback(page: Page): Promise<unknown> {
  const answer = await page.request.get(new URL('/api/v1/sessions/repair', page.url()).href);
  return ((await answer.json()) as { readonly marks: unknown }).marks;
}
