import { describe, expect, it } from 'vitest';
import { captureIo } from '../../packages/cli/test/capture-io.ts';
import { writeChart, chartNames } from '../../packages/cli/src/commands/chart/action.ts';
import { buildChartPages, insertCharts } from '../chart-pages.ts';
import { findStalePages } from '../pages.ts';

const pages = buildChartPages();

async function printChart(name: string): Promise<string> {
  const { io, out } = captureIo();
  await writeChart(name, { format: 'mermaid' }, io);
  return out();
}

describe('the charts in the documentation', () => {
  it.each(chartNames)('contains %s as pawl chart prints it', async (name) => {
    const holding = pages.filter(({ text }) => text.includes(`<!-- chart: ${name} -->`));
    expect(holding).not.toEqual([]);
    const expected = `\`\`\`mermaid\n${await printChart(name)}\`\`\``;
    for (const { text } of holding) expect(text).toContain(expected);
  });

  it('are up to date', () => {
    expect(findStalePages(pages).map(({ path }) => path)).toEqual([]);
  });

  it('reverts manual changes and keeps the prose', () => {
    const page = 'Before.\n\n<!-- chart: loop -->\n\nby hand\n\n<!-- /chart -->\n\nAfter.\n';
    const updated = insertCharts(page, 'a.md');
    expect(updated).toMatch(/^Before\.\n\n<!-- chart: loop -->\n\n```mermaid\nstateDiagram-v2\n/);
    expect(updated).toMatch(/```\n\n<!-- \/chart -->\n\nAfter\.\n$/);
    expect(updated).not.toContain('by hand');
    expect(insertCharts(updated, 'a.md')).toBe(updated);
  });

  it('rejects an unknown chart and lists the known ones', () => {
    expect(() => insertCharts('<!-- chart: lopo -->\n<!-- /chart -->', 'a.md')).toThrow(
      /^a\.md: there is no chart "lopo"\. There are: turn, .*loop/,
    );
  });
});
