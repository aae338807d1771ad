import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modeCharts } from '@pawl/core/modes';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ChartFileError, chartFileBytesMax, readChartFile } from '../../src/charts/read-chart-file.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-charts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeChartFile(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function readChartError(path: string): Promise<ChartFileError> {
  try {
    await readChartFile(path);
  } catch (error) {
    if (error instanceof ChartFileError) return error;
    throw error;
  }
  throw new Error('the file was taken');
}

async function readChartTextError(name: string, content: string | Uint8Array): Promise<ChartFileError> {
  return readChartError(writeChartFile(name, content));
}

const doorChart = `
# How a door works.
name: door
initial: shut
states:
  - name: shut
    tools: &hands [turn, pull]
    next: [open]
    prompt: >
      It is shut.
      Open it.
  - name: open
    tools: *hands
    next: [shut]
`;

/** A list of nine, by a name of its own. */
function formatAliasRow(name: string, of: string): string {
  return `${name}: &${name} [${Array.from({ length: 9 }, () => of).join(', ')}]`;
}

describe('readChartFile', () => {
  it('reads YAML, with comments, folded text and aliases', async () => {
    const chart = await readChartFile(writeChartFile('door.yaml', doorChart));
    expect(chart).toMatchObject({
      name: 'door',
      initial: 'shut',
      states: [
        { name: 'shut', tools: ['turn', 'pull'], prompt: 'It is shut. Open it.\n' },
        { name: 'open', tools: ['turn', 'pull'], next: ['shut'] },
      ],
    });
  });

  it.each(Object.values(modeCharts))('reads $name unchanged from JSON and from YAML', async (chart) => {
    const json = JSON.stringify(chart, null, '\t');
    expect(await readChartFile(writeChartFile('chart.json', `\uFEFF${json}`))).toEqual(chart);
    expect(await readChartFile(writeChartFile('chart.JSON', JSON.stringify(chart)))).toEqual(chart);
    expect(await readChartFile(writeChartFile('chart.yml', stringify(chart)))).toEqual(chart);
    expect(
      await readChartFile(writeChartFile('crlf.yaml', stringify(chart).replaceAll('\n', '\r\n'))),
    ).toEqual(chart);
  });

  it('follows a link', { tags: ['unix'] }, async () => {
    const link = join(folder, 'link.yaml');
    symlinkSync(writeChartFile('target.yaml', doorChart), link);
    expect((await readChartFile(link)).name).toBe('door');
  });
});

describe('a chart file that cannot be used', () => {
  it.each([
    ['a.yaml', 'name: [a', 1, 'invalid YAML: '],
    ['b.yaml', 'name: a\n\nname: b', 3, 'duplicate key "name".'],
    ['c.yaml', 'name: a\ninitial: !state b', 2, 'tags are not supported. Write the value without a tag.'],
    [
      'd.yaml',
      'name: a\n---\nname: b',
      2,
      'the file contains a second document. Move it to a separate file.',
    ],
    ['e.yaml', 'a: !!js/function x', 1, 'tags are not supported.'],
    ['f.yaml', 'name: *nobody', null, 'invalid YAML: Unresolved alias'],
    ['g.json', '{\n  "name": "a",\n  "initial" "b"\n}', 3, 'invalid JSON: '],
    ['h.json', '{\n  "name": "a",\n', 3, 'invalid JSON: '],
    ['i.json', '# no JSON\nname: a', 1, 'invalid JSON: '],
    ['n.json', '{\n  "a": 1,\n  // why\n  "b": 2\n}', 3, 'invalid JSON: '],
    ['o.json', `${'\n'.repeat(99)}[1, -2.5e3, "x\\n", true, null,]\n\n`, 100, 'invalid JSON: '],
    ['p.json', '', 1, 'invalid JSON: '],
    ['j.json', '{\n"name": "a",\n"name": "b"}', 3, 'duplicate key "name".'],
    ['k.yaml', new Uint8Array([0x6e, 0xff, 0xfe]), null, 'it is not valid UTF-8. Save it as UTF-8.'],
  ] as const)('reports where the syntax is wrong: %s', async (name, content, line, problem) => {
    const error = await readChartTextError(name, content);
    expect(error).toMatchObject({ code: 'syntax', line, path: join(folder, name) });
    expect(error.message).toContain(`${name}"${line === null ? '' : `, line ${line}`}: ${problem}`);
    expect(error.message).not.toContain('\n');
  });

  it.each([
    ['a.yaml', '', null, 'The chart: expected an object, got null.'],
    [
      'b.yaml',
      doorChart.replace('next: [open]', 'next: [ajar]'),
      8,
      'states[0].next[0]: state "shut" leads to "ajar"',
    ],
    ['c.yaml', doorChart.replace('initial: shut', 'initial: ajar'), 4, 'there is no state "ajar"'],
    [
      'd.yaml',
      doorChart.replace('    next: [shut]', '    next: [shut]\n    timeoutMs: soon'),
      15,
      'timeoutMs: expected a number, got "soon"',
    ],
    ['e.yaml', doorChart.replace('    next: [shut]', ''), 12, 'state "open" has no next state.'],
    ['f.yaml', `${doorChart}\nfinish:\n  tools: [x]\n`, 16, 'finish.state: missing; expected a string'],
    ['g.json', '{\n"name": "a",\n"initial": 1}', 3, 'initial: expected a string, got 1'],
    ['h.yaml', `${doorChart}\n"__proto__": {}`, 16, 'unknown key "__proto__"'],
  ] as const)('reports where the chart is wrong: %s', async (name, content, line, problem) => {
    const error = await readChartTextError(name, content);
    expect(error).toMatchObject({ code: 'invalid', line });
    expect(error.message).toContain(problem);
    expect(error.message).not.toContain('\n');
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it('is missing, a folder, a pipe, of another type, or too large', { tags: ['unix'] }, async () => {
    expect(await readChartError(join(folder, 'none.yaml'))).toMatchObject({ code: 'missing' });
    expect(await readChartError(join(writeChartFile('file.json', '{}'), 'in.yaml'))).toMatchObject({
      code: 'missing',
    });
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    expect(await readChartError(join(folder, 'pipe.yaml'))).toMatchObject({ code: 'not-a-file' });
    expect(await readChartTextError('chart.toml', '')).toMatchObject({ code: 'unknown-kind' });
    const large = await readChartTextError('large.yaml', `# ${'x'.repeat(chartFileBytesMax)}`);
    expect(large).toMatchObject({ code: 'too-large' });
    expect(await readChartTextError('most.yaml', `# ${'x'.repeat(chartFileBytesMax - 2)}`)).toMatchObject({
      code: 'invalid',
    });
  });

  it('cannot expand without limit through aliases', async () => {
    const bomb = [
      formatAliasRow('a', 'x'),
      formatAliasRow('b', '*a'),
      formatAliasRow('c', '*b'),
      formatAliasRow('d', '*c'),
      formatAliasRow('e', '*d'),
      formatAliasRow('f', '*e'),
    ];
    expect((await readChartTextError('bomb.yaml', bomb.join('\n'))).message).toContain(
      'Excessive alias count',
    );
    expect(await readChartTextError('ring.yaml', 'name: &a [*a]')).toMatchObject({ code: 'invalid' });
  });

  it.each([
    ['[', 100_000],
    ['{a: ', 60_000],
    ['- ', 100_000],
    ['? ', 100_000],
    ['"', 200_000],
    ['&a ', 80_000],
  ])('is found out in good time, however it is built: %j times %i', async (part, times) => {
    for (const name of ['deep.yaml', 'deep.json'])
      expect(await readChartTextError(name, part.repeat(times))).toMatchObject({ code: 'syntax' });
  });

  it('is still reported with tens of thousands of keys', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n');
    expect(await readChartTextError('keys.yaml', keys)).toMatchObject({ code: 'invalid' });
    expect(await readChartTextError('keys.yaml', `${keys}\nk7: 1`)).toMatchObject({
      code: 'syntax',
      line: 20_001,
    });
  });

  it('is reported whatever its content', async () => {
    const anyText = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 200 }),
      fc.json(),
      fc
        .tuple(
          fc.nat({ max: doorChart.length }),
          fc.nat({ max: 8 }),
          fc.constantFrom('', ':', '-', '&', '*', '\t', '[', '!', '|'),
        )
        .map(([at, cut, put]) => doorChart.slice(0, at) + put + doorChart.slice(at + cut)),
    );
    await fc.assert(
      fc.asyncProperty(anyText, fc.constantFrom('any.yaml', 'any.json'), async (text, name) => {
        try {
          await readChartFile(writeChartFile(name, text));
        } catch (error) {
          expect(error).toBeInstanceOf(ChartFileError);
        }
      }),
      { numRuns: 300 },
    );
  });
});
