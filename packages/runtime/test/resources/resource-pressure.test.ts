import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  updatePressure,
  resourceLimits,
  noPressure,
  describeShortage,
  type ResourcePressure,
  type ResourceUsage,
} from '../../src/resources/resource-pressure.ts';

const easyUsage: ResourceUsage = { cpuUsed: 0.1, memoryUsed: 0.2, diskFreeBytes: 1e12 };

function applyUsage(...looks: readonly Partial<ResourceUsage>[]): ResourcePressure {
  return looks.reduce<ResourcePressure>(
    (last, look) => updatePressure(last, { ...easyUsage, ...look }, resourceLimits),
    noPressure,
  );
}

describe('judge', () => {
  it.each([
    { look: { cpuUsed: 0.81 }, words: 'CPU usage is above 80 %' },
    { look: { memoryUsed: 0.86 }, words: 'memory usage is above 85 %' },
    { look: { diskFreeBytes: 4.9e9 }, words: 'less than 5.0 GB of disk space is free' },
  ])('detects a shortage after three consecutive samples: $words', ({ look, words }) => {
    expect(applyUsage(look, look).exceeded).toEqual([]);
    expect(applyUsage(look, look, {}, look, look).exceeded).toEqual([]);
    expect(describeShortage(applyUsage(look, look, look), resourceLimits)).toBe(words);
  });

  it('ends a shortage only after three consecutive samples well below the limit', () => {
    const over = { cpuUsed: 0.9 };
    const nearly = { cpuUsed: 0.75 };
    const well = { cpuUsed: 0.7 };
    expect(applyUsage(over, over, over, nearly, nearly, nearly, nearly).exceeded).toEqual(['cpuUsed']);
    expect(applyUsage(over, over, over, well, well, nearly, well, well).exceeded).toEqual(['cpuUsed']);
    expect(applyUsage(over, over, over, well, well, well).exceeded).toEqual([]);
  });

  it('waits until all measures have recovered', () => {
    const both = { cpuUsed: 0.9, diskFreeBytes: 1 };
    const disk = { diskFreeBytes: 1 };
    expect(applyUsage(both, both, both, disk, disk, disk, disk).exceeded).toEqual([
      'cpuUsed',
      'diskFreeBytes',
    ]);
  });

  it('treats an unmeasurable value as neither above nor below the limit', () => {
    const unknown = { cpuUsed: Number.NaN, memoryUsed: Number.NaN, diskFreeBytes: Number.NaN };
    expect(applyUsage(unknown, unknown, unknown, unknown).exceeded).toEqual([]);
    const full = { diskFreeBytes: 0 };
    expect(applyUsage(full, full, full, unknown, unknown, unknown).exceeded).toEqual(['diskFreeBytes']);
  });

  it('never changes its result within fewer samples than required', () => {
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
          if (next.exceeded.length > 0 !== last.exceeded.length > 0) {
            expect(since).toBeGreaterThanOrEqual(resourceLimits.samples - (next.exceeded.length > 0 ? 1 : 0));
            since = 0;
          }
          last = next;
        }
      }),
    );
  });
});
