import type { Page } from 'playwright-core';

/** Returns the time from the start of navigation until the last event of a session is rendered. */
export async function measureFirstView(page: Page, url: string, id: string, head: number): Promise<number> {
  await page.goto('about:blank');
  await page.goto(`${url}/#/s/${encodeURIComponent(id)}/events`);
  await page.locator(`#event-${head}`).waitFor();
  // Measured by the page itself, from the start of its navigation.
  return Number(await page.evaluate('performance.now()'));
}

export type FrameTimes = { readonly count: number; readonly p95Ms: number; readonly maxMs: number };

/** Scrolls a list from top to bottom and returns the frame times. */
export async function measureScrollFrames(page: Page, selector: string, forMs = 1_000): Promise<FrameTimes> {
  const gaps = (await page.evaluate(`new Promise((resolve) => {
    const list = document.querySelector(${JSON.stringify(selector)});
    const gaps = [];
    const startedAt = performance.now();
    let last = startedAt;
    const frame = (now) => {
      gaps.push(now - last);
      last = now;
      const share = (now - startedAt) / ${forMs};
      if (share >= 1) return resolve(gaps.slice(1));
      list.scrollTop = share * (list.scrollHeight - list.clientHeight);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })`)) as readonly number[];
  const sorted = gaps.toSorted((one, other) => one - other);
  return {
    count: gaps.length,
    p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
    maxMs: sorted.at(-1) ?? 0,
  };
}
