import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toMermaid } from '../../src/charts/to-mermaid.ts';
import { modeCharts } from '../../src/modes/charts/built-in.ts';
import { defineChart } from '../../src/modes/define-chart.ts';
import { toDrawableChart } from '../../src/modes/draw-modes.ts';

const modesPage = readFileSync(join(import.meta.dirname, '../../../../docs/modes.md'), 'utf8');

/** The rows of tables with this many cells, each cell without its padding. */
function listTableRows(cells: number): readonly (readonly string[])[] {
  return modesPage
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    .filter((row) => row.length === cells);
}

function formatNamesAsCode(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' ');
}

describe('docs/modes.md', () => {
  it.each(Object.values(modeCharts))('has the current drawing of $name', (chart) => {
    expect(modesPage).toContain(`\`\`\`mermaid\n${toMermaid(toDrawableChart(chart))}\`\`\``);
  });

  it('has the current table of savant', () => {
    const rows = listTableRows(4).map(([state, , next, limit]) => [state, next, limit]);
    for (const { name, next, timeoutMs } of modeCharts.savant.states)
      expect(rows).toContainEqual([
        formatNamesAsCode([name]),
        formatNamesAsCode(next),
        timeoutMs === null ? '' : `${timeoutMs / 1_000} s`,
      ]);
  });

  it('has the current tables of lkj and lkj1', () => {
    const rows = listTableRows(5).map(([chart, state, , next]) => [chart, state, next]);
    for (const chart of [modeCharts.lkj, modeCharts.lkj1]) {
      for (const { name, next, selectable } of chart.states.filter((state) => state.selectable)) {
        expect(selectable).toBe(true);
        const chosen = next.filter((each) => each !== 'paging');
        expect(rows).toContainEqual([
          formatNamesAsCode([chart.name]),
          formatNamesAsCode([name]),
          formatNamesAsCode(chosen),
        ]);
      }
    }
  });

  it('documents every key', () => {
    const chart = defineChart({ name: 'x', initial: 'a', states: [{ name: 'a', next: ['a'] }] });
    const keys = listTableRows(3).flatMap(([key = '']) =>
      [...key.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    const others = ['name', 'initial', 'states'];
    expect(new Set([...keys, ...others])).toEqual(
      new Set([...Object.keys(chart), ...Object.keys(chart.states[0] ?? {})]),
    );
  });
});
