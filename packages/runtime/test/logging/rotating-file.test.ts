import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRotatingFile } from '../../src/logging/rotating-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const formatLogLine = (number: number): string => `${String(number).padStart(9, '0')}\n`;

describe('openRotatingFile', () => {
  it('rotates when a line no longer fits and keeps the newest files', () => {
    const path = join(folder, 'pawl.log');
    const file = openRotatingFile(path, { bytesMax: 30, filesMax: 3 });
    for (let number = 1; number <= 14; number += 1) file.write(formatLogLine(number));
    expect(readdirSync(folder).toSorted()).toEqual(['pawl.log', 'pawl.log.1', 'pawl.log.2']);
    const kept = ['pawl.log.2', 'pawl.log.1', 'pawl.log'].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    );
    expect(kept).toEqual([
      formatLogLine(7) + formatLogLine(8) + formatLogLine(9),
      formatLogLine(10) + formatLogLine(11) + formatLogLine(12),
      formatLogLine(13) + formatLogLine(14),
    ]);
  });

  it(
    'appends to an existing file, and creates new ones readable only by the owner',
    { tags: ['unix'] },
    () => {
      const path = join(folder, 'pawl.log');
      openRotatingFile(path).write(formatLogLine(1));
      openRotatingFile(path).write(formatLogLine(2));
      expect(readFileSync(path, 'utf8')).toBe(formatLogLine(1) + formatLogLine(2));
      expect(statSync(path).mode & 0o077).toBe(0);
    },
  );

  it('writes a line that is larger than the size limit', () => {
    const path = join(folder, 'pawl.log');
    const file = openRotatingFile(path, { bytesMax: 5, filesMax: 2 });
    file.write(formatLogLine(1));
    file.write(formatLogLine(2));
    expect(readFileSync(path, 'utf8')).toBe(formatLogLine(2));
    expect(readFileSync(`${path}.1`, 'utf8')).toBe(formatLogLine(1));
  });

  it('reports a failed write once and resumes writing when possible', () => {
    const parent = join(folder, 'gone');
    const path = join(parent, 'pawl.log');
    expect(() => openRotatingFile(path)).toThrow(/ENOENT/);
    const errors: string[] = [];
    const file = openRotatingFile(join(folder, 'pawl.log'), {
      bytesMax: 15,
      filesMax: 2,
      onError: (message) => void errors.push(message),
    });
    file.write(formatLogLine(1));
    // What is in the way of the older file cannot be removed as a file.
    const obstacle = join(folder, 'pawl.log.1');
    rmSync(obstacle, { force: true });
    const inside = join(obstacle, 'inside');
    createObstacle(obstacle, inside);
    file.write(formatLogLine(2));
    file.write(formatLogLine(3));
    expect(errors).toHaveLength(1);
    rmSync(obstacle, { recursive: true });
    file.write(formatLogLine(4));
    expect(readFileSync(join(folder, 'pawl.log'), 'utf8')).toBe(formatLogLine(4));
    expect(errors).toHaveLength(1);
  });
});

function createObstacle(obstacle: string, inside: string): void {
  mkdirSync(obstacle);
  writeFileSync(inside, '');
}
