import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  updatePressure,
  resourceLimits,
  noPressure,
  describeShortage,
  type ResourcePressure,
} from '../../src/resources/resource-pressure.ts';
import type { ResourceUsage } from '../../src/resources/probe.ts';

const easyUsage: ResourceUsage = { cpuUsed: 0.1, memoryUsed: 0.2, diskFreeBytes: 1e12 };

function applyUsage(...looks: readonly Partial<ResourceUsage>[]): ResourcePressure {
  return looks.reduce<ResourcePressure>(
    (last, look) => updatePressure(last, { ...easyUsage, ...look }, resourceLimits),
    noPressure,
  );
}

describe('judge', () => {
  it.each([
    { look: { cpuUsed: 0.81 }, words: 'the processor is more than 80 % busy' },
    { look: { memoryUsed: 0.86 }, words: 'more than 85 % of the memory is in use' },
    { look: { diskFreeBytes: 4.9e9 }, words: 'less than 5.0 GB are free on the disk' },
  ])('finds it short after three looks in a row: $words', ({ look, words }) => {
    expect(applyUsage(look, look).short).toEqual([]);
    expect(applyUsage(look, look, {}, look, look).short).toEqual([]);
    expect(describeShortage(applyUsage(look, look, look), resourceLimits)).toBe(words);
  });

  it('is over only when it has come back well below the limit, three looks in a row', () => {
    const over = { cpuUsed: 0.9 };
    const nearly = { cpuUsed: 0.75 };
    const well = { cpuUsed: 0.7 };
    expect(applyUsage(over, over, over, nearly, nearly, nearly, nearly).short).toEqual(['cpuUsed']);
    expect(applyUsage(over, over, over, well, well, nearly, well, well).short).toEqual(['cpuUsed']);
    expect(applyUsage(over, over, over, well, well, well).short).toEqual([]);
  });

  it('waits for all that is short', () => {
    const both = { cpuUsed: 0.9, diskFreeBytes: 1 };
    const disk = { diskFreeBytes: 1 };
    expect(applyUsage(both, both, both, disk, disk, disk, disk).short).toEqual(['cpuUsed', 'diskFreeBytes']);
  });

  it('takes what cannot be measured for neither too much nor enough', () => {
    const unknown = { cpuUsed: Number.NaN, memoryUsed: Number.NaN, diskFreeBytes: Number.NaN };
    expect(applyUsage(unknown, unknown, unknown, unknown).short).toEqual([]);
    const full = { diskFreeBytes: 0 };
    expect(applyUsage(full, full, full, unknown, unknown, unknown).short).toEqual(['diskFreeBytes']);
  });

  it('never changes its mind within fewer looks than it needs', () => {
    const look = fc.record({
      cpuUsed: fc.double({ min: 0, max: 1 }),
      memoryUsed: fc.double({ min: 0, max: 1 }),
      diskFreeBytes: fc.double({ min: 0, max: 1e11 }),
    });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 60 }), (looks) => {
        let last: ResourcePressure = noPressure;
        let since = 0;
        for (const seen of looks) {
          const next = updatePressure(last, seen, resourceLimits);
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
