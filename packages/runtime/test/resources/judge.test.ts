import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge, resourceLimits, roomEnough, shortage, type Judgement } from '../../src/resources/judge.ts';
import type { Resources } from '../../src/resources/probe.ts';

const easy: Resources = { cpuUsed: 0.1, memoryUsed: 0.2, diskFreeBytes: 1e12 };

function after(...looks: readonly Partial<Resources>[]): Judgement {
  return looks.reduce<Judgement>(
    (last, look) => judge(last, { ...easy, ...look }, resourceLimits),
    roomEnough,
  );
}

describe('judge', () => {
  it.each([
    { look: { cpuUsed: 0.81 }, words: 'the processor is more than 80 % busy' },
    { look: { memoryUsed: 0.86 }, words: 'more than 85 % of the memory is in use' },
    { look: { diskFreeBytes: 4.9e9 }, words: 'less than 5.0 GB are free on the disk' },
  ])('finds it short after three looks in a row: $words', ({ look, words }) => {
    expect(after(look, look).short).toEqual([]);
    expect(after(look, look, {}, look, look).short).toEqual([]);
    expect(shortage(after(look, look, look), resourceLimits)).toBe(words);
  });

  it('is over only when it has come back well below the limit, three looks in a row', () => {
    const over = { cpuUsed: 0.9 };
    const nearly = { cpuUsed: 0.75 };
    const well = { cpuUsed: 0.7 };
    expect(after(over, over, over, nearly, nearly, nearly, nearly).short).toEqual(['cpuUsed']);
    expect(after(over, over, over, well, well, nearly, well, well).short).toEqual(['cpuUsed']);
    expect(after(over, over, over, well, well, well).short).toEqual([]);
  });

  it('waits for all that is short', () => {
    const both = { cpuUsed: 0.9, diskFreeBytes: 1 };
    const disk = { diskFreeBytes: 1 };
    expect(after(both, both, both, disk, disk, disk, disk).short).toEqual(['cpuUsed', 'diskFreeBytes']);
  });

  it('takes what cannot be measured for neither too much nor enough', () => {
    const unknown = { cpuUsed: Number.NaN, memoryUsed: Number.NaN, diskFreeBytes: Number.NaN };
    expect(after(unknown, unknown, unknown, unknown).short).toEqual([]);
    const full = { diskFreeBytes: 0 };
    expect(after(full, full, full, unknown, unknown, unknown).short).toEqual(['diskFreeBytes']);
  });

  it('never changes its mind within fewer looks than it needs', () => {
    const look = fc.record({
      cpuUsed: fc.double({ min: 0, max: 1 }),
      memoryUsed: fc.double({ min: 0, max: 1 }),
      diskFreeBytes: fc.double({ min: 0, max: 1e11 }),
    });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 60 }), (looks) => {
        let last: Judgement = roomEnough;
        let since = 0;
        for (const seen of looks) {
          const next = judge(last, seen, resourceLimits);
          since += 1;
          if (next.short.length > 0 !== last.short.length > 0) {
            expect(since).toBeGreaterThanOrEqual(resourceLimits.looks - (next.short.length > 0 ? 1 : 0));
            since = 0;
          }
          last = next;
        }
      }),
    );
  });
});
