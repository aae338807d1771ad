import { describe, expect, it } from 'vitest';
import { captureIo } from '../../packages/cli/test/captured-io.ts';
import { chart, chartNames } from '../../packages/cli/src/commands/chart.ts';
import { chartPages, withCharts } from '../chart-pages.ts';
import { stalePages } from '../pages.ts';

const pages = chartPages();

async function printed(name: string): Promise<string> {
  const { io, out } = captureIo();
  await chart(name, { format: 'mermaid' }, io);
  return out();
}

describe('the charts in the documentation', () => {
  it.each(chartNames)('has %s as pawl chart prints it', async (name) => {
    const holding = pages.filter(({ text }) => text.includes(`<!-- chart: ${name} -->`));
    expect(holding).not.toEqual([]);
    const expected = `\`\`\`mermaid\n${await printed(name)}\`\`\``;
    for (const { text } of holding) expect(text).toContain(expected);
  });

  it('is what the code draws now', () => {
    expect(stalePages(pages).map(({ path }) => path)).toEqual([]);
  });

  it('mends what was changed by hand, and leaves the prose alone', () => {
    const page = 'Before.\n\n<!-- chart: loop -->\n\nby hand\n\n<!-- /chart -->\n\nAfter.\n';
    const mended = withCharts(page, 'a.md');
    expect(mended).toMatch(/^Before\.\n\n<!-- chart: loop -->\n\n```mermaid\nstateDiagram-v2\n/);
    expect(mended).toMatch(/```\n\n<!-- \/chart -->\n\nAfter\.\n$/);
    expect(mended).not.toContain('by hand');
    expect(withCharts(mended, 'a.md')).toBe(mended);
  });

  it('refuses a chart that there is not, and says which there are', () => {
    expect(() => withCharts('<!-- chart: lopo -->\n<!-- /chart -->', 'a.md')).toThrow(
      /^a\.md: there is no chart "lopo"\. There are: turn, .*loop/,
    );
  });
});
