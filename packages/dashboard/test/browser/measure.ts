import type { Page } from 'playwright-core';

/** How long a page takes from the first byte asked for until a session of so many events is there, last event and all. */
export async function measureFirstView(page: Page, url: string, id: string, head: number): Promise<number> {
  await page.goto('about:blank');
  await page.goto(`${url}/#/s/${encodeURIComponent(id)}/events`);
  await page.locator(`#event-${head}`).waitFor();
  // Counted by the page itself, from the start of its own navigation.
  return Number(await page.evaluate('performance.now()'));
}

export type FrameTimes = { readonly count: number; readonly p95Ms: number; readonly maxMs: number };

/** Scrolls a list from top to bottom for a while, and tells how far apart the frames were. */
export async function measureScrollFrames(page: Page, selector: string, forMs = 1_000): Promise<FrameTimes> {
  const gaps = (await page.evaluate(`new Promise((resolve) => {
    const list = document.querySelector(${JSON.stringify(selector)});
    const gaps = [];
    const begun = performance.now();
    let last = begun;
    const frame = (now) => {
      gaps.push(now - last);
      last = now;
      const share = (now - begun) / ${forMs};
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
