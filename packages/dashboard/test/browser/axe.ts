import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds on the page that is serious or critical, one line each. It is brought in past the page's own policy. */
export async function findSeriousProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(source);
  const found = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)) as {
    readonly violations: readonly AxeViolation[];
  };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} — ${failureSummary}`),
    );
}

type AxeViolation = {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
};
