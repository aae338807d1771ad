import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultSettings, memorySettings, profiles, type Profile } from '../../src/index.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/profiles.md'), 'utf8');

/** The rows of tables with this many cells, each cell without its padding. */
function rowsOf(cells: number): readonly (readonly string[])[] {
  return page
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

function coded(name: string | undefined): string {
  return name === undefined ? '' : `\`${name}\``;
}

function rowFor({ name, settings, protocol, terminal }: Profile): readonly string[] {
  const { chart, memory, budgets, governor } = { ...defaultSettings, ...settings };
  const preset = governor.preset === 'none' ? 'none' : coded(governor.preset);
  const memoryName = Object.entries(memorySettings).find(([, each]) => each === memory)?.[0];
  const limit = budgets === null ? '' : `${budgets.modelCalls} model calls`;
  return [
    coded(name),
    coded(chart?.name),
    preset,
    protocol,
    coded(memoryName),
    terminal.map(coded).join(', '),
    limit,
  ];
}

describe('docs/profiles.md', () => {
  it('has a row for every profile, as it is', () => {
    expect(rowsOf(7).slice(2)).toEqual(profiles.map(rowFor));
  });

  it('tells of every key there is, with the number it has when left out', () => {
    const rows = new Map(rowsOf(3).map(([key = '', , otherwise]) => [key.replaceAll('`', ''), otherwise]));
    for (const [key, value] of Object.entries(defaultSettings)) {
      expect([...rows.keys()]).toContain(key);
      if (typeof value === 'number') expect([key, rows.get(key)]).toEqual([key, String(value)]);
      if (typeof value === 'boolean') expect([key, rows.get(key)]).toEqual([key, value ? 'yes' : 'no']);
    }
    expect(rows.size - 2).toBe(Object.keys(defaultSettings).length + 5);
  });
});
