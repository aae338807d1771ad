import type { Page } from 'playwright-core';

/** How far the page reaches beyond the screen sideways, in pixels. */
export function sideways(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** How long something may take to show on a machine that has a lot to do. */
export const patience = { timeout: 15_000 } as const;

/** What is there once a view on a session is drawn. */
export const shownIn = {
  transcript: '.transcript .item',
  events: '.event-row',
  chart: '.chart-state.current',
  timeline: '.strip-block',
  why: '.why-panel, .view .empty',
  governor: '.gov-view',
  memory: '.mem-view',
} as const;
