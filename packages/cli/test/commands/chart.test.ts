import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toDrawableChart, toMermaid, toXState, turnChart } from '@pawl/core/charts';
import { modeCharts } from '@pawl/core/modes';
import { parseChart } from '@pawl/runtime/charts';
import { toSvg } from '@pawl/runtime/charts';
import { writeChart, chartFormats, chartNames } from '../../src/commands/chart/action.ts';
import { UsageError } from '../../src/output/exit-codes.ts';
import { captureIo } from '../capture-io.ts';

type ChartTestOptions = Parameters<typeof writeChart>[1];

async function runChartTest(name: string | undefined, options: ChartTestOptions) {
  const captured = captureIo();
  const code = await writeChart(name, options, captured.io);
  return { code, stdout: captured.out(), stderr: captured.err() };
}

describe('pawl chart', () => {
  it('prints the chart itself as JSON', async () => {
    const { code, stdout, stderr } = await runChartTest('turn', { format: 'json' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(turnChart);
    expect(stdout).toContain('\n  "initial": "waitingForUser",\n');
    expect(stderr).toBe('');
  });

  it('prints an XState config as JSON', async () => {
    expect(JSON.parse((await runChartTest('turn', { format: 'xstate' })).stdout)).toEqual(
      toXState(turnChart),
    );
  });

  it('prints a Mermaid diagram', async () => {
    expect((await runChartTest('turn', { format: 'mermaid' })).stdout).toBe(toMermaid(turnChart));
  });

  it('prints an SVG', async () => {
    expect((await runChartTest('turn', { format: 'svg' })).stdout).toBe(await toSvg(turnChart));
  });

  it.each(chartNames.flatMap((name) => chartFormats.map((format) => [name, format] as const)))(
    'prints the chart %s as %s and ends the output with a newline',
    async (name, format) => {
      expect((await runChartTest(name, { format })).stdout).toMatch(/[^\n]\n$/u);
    },
  );

  it.each(['turm', 'Turn', 'turns'])('suggests the nearest chart for %s', async (name) => {
    await expect(runChartTest(name, { format: 'svg' })).rejects.toThrow(
      new UsageError(`Unknown chart "${name}". Did you mean turn? Available: turn, savant, lkj, lkj1, loop.`),
    );
  });

  it('lists the charts if no name is close', async () => {
    await expect(runChartTest('__proto__', { format: 'svg' })).rejects.toThrow(
      new UsageError('Unknown chart "__proto__". Available: turn, savant, lkj, lkj1, loop.'),
    );
  });

  it.each([
    ['mermiad', 'Unknown format "mermiad". Did you mean mermaid? Available: mermaid, xstate, json, svg.'],
    ['png', 'Unknown format "png". Available: mermaid, xstate, json, svg.'],
    ['', 'Unknown format "". Available: mermaid, xstate, json, svg.'],
    ['a\nb', 'Unknown format "a\\nb". Available: mermaid, xstate, json, svg.'],
  ])('lists the formats in one line for the unknown format %j', async (format, message) => {
    await expect(runChartTest('turn', { format })).rejects.toThrow(new UsageError(message));
  });
});

describe('pawl chart of a mode chart', () => {
  it.each(Object.values(modeCharts))('draws $name like every other renderer', async (modes) => {
    const drawn = toDrawableChart(modes);
    expect((await runChartTest(modes.name, { format: 'mermaid' })).stdout).toBe(toMermaid(drawn));
    expect((await runChartTest(modes.name, { format: 'svg' })).stdout).toBe(await toSvg(drawn));
    expect(JSON.parse((await runChartTest(modes.name, { format: 'xstate' })).stdout)).toEqual(
      toXState(drawn),
    );
  });

  it('prints JSON that can be edited and read back', async () => {
    const { stdout } = await runChartTest('savant', { format: 'json' });
    expect(parseChart(JSON.parse(stdout))).toEqual(modeCharts.savant);
  });

  it('lists the built-in charts with their states', async () => {
    const { code, stdout } = await runChartTest(undefined, { format: 'mermaid', list: true });
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(chartNames);
    expect(stdout).toContain('lkj1    thinking, executing, paging\n');
  });

  it('lists the possible names if none is given', async () => {
    await expect(runChartTest(undefined, { format: 'svg' })).rejects.toThrow(
      new UsageError(
        'Specify a chart: turn, savant, lkj, lkj1, loop, or a .json or .yaml file that contains one.',
      ),
    );
  });
});

describe('pawl chart of a file', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-chart-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('draws the chart in the file', async () => {
    const path = join(import.meta.dirname, '../../../../examples/05-research-modes.yaml');
    const { code, stdout } = await runChartTest(path, { format: 'mermaid' });
    expect(code).toBe(0);
    expect(stdout).toContain('gathering --> weighing');
  });

  it.each([
    ['none.yaml', null, 'file not found'],
    ['modes.json', '{"name": "x",', 'line 1: invalid JSON'],
    ['modes.yaml', 'name: x\ninitial: a\nstates:\n  - name: a\n    next: [b]\n', 'there is no state "b"'],
  ])('reports in one line what is wrong with %s', async (name, content, message) => {
    const path = join(folder, name);
    if (content !== null) await writeFile(path, content);
    const drawn = runChartTest(path, { format: 'svg' });
    await expect(drawn).rejects.toThrow(UsageError);
    await expect(drawn).rejects.toThrow(message);
    await expect(drawn).rejects.toThrow(JSON.stringify(path));
  });
});

describe('pawl chart --out', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-chart-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('writes the file instead of printing', async () => {
    const out = join(folder, 'loop.svg');
    expect(await runChartTest('loop', { format: 'svg', out })).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(out, 'utf8')).toBe(await toSvg(toDrawableChart(modeCharts.loop)));
  });

  it('reports that the folder of the file does not exist', async () => {
    const out = join(folder, 'missing', 'loop.svg');
    await expect(runChartTest('loop', { format: 'svg', out })).rejects.toThrow(
      new UsageError(`Cannot write ${JSON.stringify(out)}: its folder does not exist.`),
    );
  });

  it('overwrites a file only with --force', async () => {
    const out = join(folder, 'loop.svg');
    await writeFile(out, 'drawn by hand');
    await expect(runChartTest('loop', { format: 'svg', out })).rejects.toThrow(
      new UsageError(
        `Cannot write ${JSON.stringify(out)}: the file exists. Choose another file, or use --force to overwrite it.`,
      ),
    );
    expect(await readFile(out, 'utf8')).toBe('drawn by hand');
    await runChartTest('loop', { format: 'svg', out, force: true });
    expect(await readFile(out, 'utf8')).toBe(await toSvg(toDrawableChart(modeCharts.loop)));
  });

  it('reports that the file is a folder', async () => {
    await expect(runChartTest('loop', { format: 'svg', out: folder, force: true })).rejects.toThrow(
      new UsageError(`Cannot write ${JSON.stringify(folder)}: it is a folder. Choose a file in it.`),
    );
  });
});
