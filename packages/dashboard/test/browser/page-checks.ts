import type { Page } from 'playwright-core';

/** Returns by how many pixels the page overflows the screen horizontally. */
export function measurePageOverflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Selectors that exist once a session view is rendered. */
export const viewSelectors = {
  transcript: '.transcript .item',
  events: '.event-row',
  chart: '.chart-state.current',
  timeline: '.strip-block',
  why: '.why-panel, .view .empty',
  governor: '.gov-view',
  memory: '.mem-view',
} as const;
