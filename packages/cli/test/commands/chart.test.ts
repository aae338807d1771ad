import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toMermaid, toSvg, toXState, turnChart } from '@pawl/core';
import { chart, chartFormats, chartNames } from '../../src/commands/chart.ts';
import { UsageError } from '../../src/usage-error.ts';
import { captureIo } from '../captured-io.ts';

type Options = Parameters<typeof chart>[1];

async function run(name: string, options: Options) {
  const captured = captureIo();
  const code = await chart(name, options, captured.io);
  return { code, stdout: captured.out(), stderr: captured.err() };
}

describe('pawl chart', () => {
  it('prints the chart itself as JSON', async () => {
    const { code, stdout, stderr } = await run('turn', { as: 'json' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(turnChart);
    expect(stdout).toContain('\n  "initial": "waitingForUser",\n');
    expect(stderr).toBe('');
  });

  it('prints an XState config as JSON', async () => {
    expect(JSON.parse((await run('turn', { as: 'xstate' })).stdout)).toEqual(toXState(turnChart));
  });

  it('prints a Mermaid diagram', async () => {
    expect((await run('turn', { as: 'mermaid' })).stdout).toBe(toMermaid(turnChart));
  });

  it('prints a picture', async () => {
    expect((await run('turn', { as: 'svg' })).stdout).toBe(toSvg(turnChart));
  });

  it.each(chartNames.flatMap((name) => chartFormats.map((as) => [name, as] as const)))(
    'knows the chart %s as %s and ends its text with a line break',
    async (name, as) => {
      expect((await run(name, { as })).stdout).toMatch(/[^\n]\n$/u);
    },
  );

  it.each(['turm', 'Turn', 'turns'])('suggests the nearest chart for %s', async (name) => {
    await expect(run(name, { as: 'svg' })).rejects.toThrow(
      new UsageError(`There is no chart "${name}". Did you mean turn? There are: turn.`),
    );
  });

  it('names the charts there are when nothing is near', async () => {
    await expect(run('__proto__', { as: 'svg' })).rejects.toThrow(
      new UsageError('There is no chart "__proto__". There are: turn.'),
    );
  });

  it.each([
    ['mermiad', 'There is no format "mermiad". Did you mean mermaid? There are: mermaid, xstate, json, svg.'],
    ['png', 'There is no format "png". There are: mermaid, xstate, json, svg.'],
    ['', 'There is no format "". There are: mermaid, xstate, json, svg.'],
    ['a\nb', 'There is no format "a\\nb". There are: mermaid, xstate, json, svg.'],
  ])('says in one line which formats there are instead of %j', async (as, message) => {
    await expect(run('turn', { as })).rejects.toThrow(new UsageError(message));
  });
});

describe('pawl chart --out', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-chart-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('writes the file instead of printing', async () => {
    const out = join(folder, 'turn.svg');
    expect(await run('turn', { as: 'svg', out })).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(out, 'utf8')).toBe(toSvg(turnChart));
  });

  it('says so when the folder of the file does not exist', async () => {
    const out = join(folder, 'missing', 'turn.svg');
    await expect(run('turn', { as: 'svg', out })).rejects.toThrow(
      new UsageError(`Cannot write ${JSON.stringify(out)}: its folder does not exist.`),
    );
  });

  it('says so when the file is a folder', async () => {
    await expect(run('turn', { as: 'svg', out: folder })).rejects.toThrow(
      new UsageError(`Cannot write ${JSON.stringify(folder)}: it is a folder. Name a file in it.`),
    );
  });
});
