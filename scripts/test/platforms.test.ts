import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../source-files.ts';

const page = readFileSync(join(repositoryRoot, 'docs/platforms.md'), 'utf8');
const [first = ''] = page.split('## ', 1);
const [head = [], , ...rows] = first
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('the page on platforms', () => {
  it('gives each feature and platform one of three support levels', () => {
    expect(head).toEqual(['Feature', 'Linux', 'macOS', 'Windows']);
    expect(rows.length).toBeGreaterThan(15);
    const supportLevels = new Set(rows.flatMap((cells) => cells.slice(1)));
    expect(supportLevels).toEqual(new Set(['supported', 'supported, untested', 'not supported']));
  });

  it('claims tested support for Linux only', () => {
    for (const [feature, , mac, windows] of rows)
      expect([feature, mac === 'supported', windows === 'supported']).toEqual([feature, false, false]);
  });
});
