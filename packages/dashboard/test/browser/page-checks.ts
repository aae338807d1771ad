import type { Page } from 'playwright-core';

/** How far the page reaches beyond the screen sideways, in pixels. */
export function measurePageOverflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** What is there once a view on a session is drawn. */
export const viewSelectors = {
  transcript: '.transcript .item',
  events: '.event-row',
  chart: '.chart-state.current',
  timeline: '.strip-block',
  why: '.why-panel, .view .empty',
  governor: '.gov-view',
  memory: '.mem-view',
} as const;
