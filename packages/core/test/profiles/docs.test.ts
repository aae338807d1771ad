import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/index.ts';
import { memorySettings } from '../../src/memory-entry.ts';
import { builtInProfiles, type Profile } from '../../src/profiles-entry.ts';

const profilesPage = readFileSync(join(import.meta.dirname, '../../../../docs/profiles.md'), 'utf8');

/** The rows of tables with this many cells, each cell without its padding. */
function listTableRows(cells: number): readonly (readonly string[])[] {
  return profilesPage
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

function formatAsCode(name: string | undefined): string {
  return name === undefined ? '' : `\`${name}\``;
}

function formatProfileRow({ name, settings, protocol, terminal }: Profile): readonly string[] {
  const { chart, memory, budgets, governor } = { ...defaultSettings, ...settings };
  const preset = governor.preset === 'none' ? 'none' : formatAsCode(governor.preset);
  const memoryName = Object.entries(memorySettings).find(([, each]) => each === memory)?.[0];
  const limit = budgets === null ? '' : `${budgets.modelCalls} model calls`;
  return [
    formatAsCode(name),
    formatAsCode(chart?.name),
    preset,
    protocol,
    formatAsCode(memoryName),
    terminal.map(formatAsCode).join(', '),
    limit,
  ];
}

describe('docs/profiles.md', () => {
  it('has a current row for every profile', () => {
    expect(listTableRows(7).slice(2)).toEqual(builtInProfiles.map(formatProfileRow));
  });

  it('documents every key, with its numeric default', () => {
    const rows = new Map(
      listTableRows(3).map(([key = '', , otherwise]) => [key.replaceAll('`', ''), otherwise]),
    );
    for (const [key, value] of Object.entries(defaultSettings)) {
      expect([...rows.keys()]).toContain(key);
      if (typeof value === 'number') expect([key, rows.get(key)]).toEqual([key, String(value)]);
      if (typeof value === 'boolean') expect([key, rows.get(key)]).toEqual([key, value ? 'yes' : 'no']);
    }
    expect(rows.size - 2).toBe(Object.keys(defaultSettings).length + 5);
  });
});
