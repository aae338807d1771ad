import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createRepairSession } from './recorded-sessions.ts';
import { useBrowserWorld } from './use-browser-world.ts';

const { session, events } = createRepairSession('repair', Date.now() - 600_000);

/** The event after which a call is blocked. */
const blockedSeq = events.findLastIndex((event) => event.type === 'tool-finished' && !event.outcome.ok) + 1;

describe('the governor views', { tags: ['chromium'] }, () => {
  const world = useBrowserWorld(async (newWorld) => void (await newWorld.keep(session, events)));

  describe('the explanation of a decision', () => {
    it('shows the rule, its thresholds, the evidence side by side, the advice and the next reply', async () => {
      const page = await world().page('#/s/repair/why');
      await page.locator('.why-item', { hasText: 'block' }).click();
      const panel = page.locator('.why-panel');
      await panel.getByRole('heading', { name: /test failed 3 times in a row/u }).waitFor();
      await panel
        .getByRole('img', { name: /^3 times. Thresholds: advise at 2, block at 3, stop at 4.$/u })
        .waitFor();
      expect(await panel.locator('.why-proofs li').count()).toBe(3);
      const diff = panel.locator('.why-diff');
      expect(await diff.locator('.why-same').allTextContents()).toEqual(['identical', 'identical']);
      expect(await diff.textContent()).toContain('expected -1 to be 5');
      const text = await panel.textContent();
      expect(text).toContain('Added to the prompt');
      expect(text).toContain('Repeating it will fail again');
      expect(await panel.locator('.why-part', { hasText: 'Next model reply' }).textContent()).toContain(
        'repeated',
      );
      expect(page.problems).toEqual([]);
    });

    it('includes only decisions up to the selected event', async () => {
      const page = await world().page('#/s/repair/why?at=20');
      await page.getByRole('heading', { name: 'No decisions up to this event' }).waitFor();
      await page.getByRole('button', { name: 'Go there' }).click();
      await page
        .locator('.why-panel')
        .getByRole('heading', { name: /test failed 2 times/u })
        .waitFor();
      expect(await page.locator('.why-item').count()).toBe(1);
      expect(page.problems).toEqual([]);
    });

    it('covers blocked calls, retries and permission decisions', async () => {
      const page = await world().page('#/s/repair/why');
      await page.getByRole('button', { name: 'all decisions' }).click();
      await page.locator('.why-item', { hasText: 'call of test not run' }).click();
      await page.getByText('blocked by the rule repeated-failure').waitFor();
      await page.locator('.why-item', { hasText: 'overloaded' }).click();
      await page.getByText(/^Attempt 1 failed/u).waitFor();
      await page.locator('.why-item', { hasText: 'edit-1 allowed' }).waitFor();
      expect(page.problems).toEqual([]);
    });

    it('accepts feedback, which is stored', async () => {
      const page = await world().page('#/s/repair/why');
      const right = page.getByRole('button', { name: '✓ right' });
      await right.click();
      await expect.poll(() => right.getAttribute('aria-pressed')).toBe('true');
      await expect.poll(() => readFeedback(page)).toMatchObject([{ mark: 'right' }]);
      const reopened = await world().page('#/s/repair/why');
      await expect
        .poll(() => reopened.getByRole('button', { name: '✓ right' }).getAttribute('aria-pressed'))
        .toBe('true');
      await reopened.getByRole('button', { name: '✗ wrong' }).click();
      await reopened.locator('.why-given.wrong').waitFor();
      expect([...page.problems, ...reopened.problems]).toEqual([]);
    });

    it('is navigable with the keyboard', async () => {
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

  describe('the governor state', () => {
    it('shows budgets, the closest rules and the verdict count in the session header', async () => {
      const page = await world().page('#/s/repair/events');
      const strip = page.getByRole('group', { name: 'Governor' });
      await strip.getByRole('meter', { name: /^tool calls: \d+ of 40$/u }).waitFor();
      expect(await strip.textContent()).toContain('3 verdicts, last: repeated-call');
      await strip.getByRole('button', { name: /^3 verdicts/u }).click();
      await page.locator('.why-panel').waitFor();
      expect(page.problems).toEqual([]);
    });

    it('shows budgets, the distance to a forced end, blocked calls, and each rule over time', async () => {
      const page = await world().page(`#/s/repair/governor?at=${blockedSeq}`);
      await page.getByRole('region', { name: 'Blocked calls' }).getByText('repeated-failure').waitFor();
      expect(await page.getByRole('region', { name: 'Distance to a forced end' }).textContent()).toContain(
        '25 % left',
      );
      const rule = page.locator('.gov-rule', { hasText: 'repeated-failure' });
      await rule
        .getByRole('img', { name: /^repeated-failure over all events: 3 at the selected event$/u })
        .waitFor();
      const matchedCount = await page.locator('.gov-rule').count();
      await page.getByLabel('all rules').check();
      await expect.poll(() => page.locator('.gov-rule').count()).toBeGreaterThan(matchedCount);
      expect(page.problems).toEqual([]);
    });
  });
});

/** Reads the stored feedback on verdicts. */
async function readFeedback(page: Page): Promise<unknown> {
  const response = await page.request.get(new URL('/api/v1/sessions/repair', page.url()).href);
  return ((await response.json()) as { readonly marks: unknown }).marks;
}
