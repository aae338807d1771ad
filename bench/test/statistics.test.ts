import { describe, expect, it } from 'vitest';
import { computeMedian, computePairedRatios, summarizeSamples } from '../lib/statistics.ts';
import { formatBenchTable } from '../lib/table.ts';

describe('statistics', () => {
  it('use the middle sample, or the mean of the two middle samples', () => {
    expect(computeMedian([9, 1, 5])).toBe(5);
    expect(computeMedian([9, 1, 5, 7])).toBe(6);
  });

  it('use the smallest and the largest sample as the spread', () => {
    expect(summarizeSamples([4, 2, 8])).toEqual({ median: 4, min: 2, max: 8 });
  });

  it('compare samples of the same round', () => {
    expect(computePairedRatios([2, 30], [1, 10])).toEqual([2, 3]);
  });
});

describe('table', () => {
  it('is Markdown with right-aligned numbers', () => {
    expect(
      formatBenchTable(
        ['name', 'ns'],
        [
          ['a', '1'],
          ['long name', '100'],
        ],
      ),
    ).toBe(
      ['| name      |  ns |', '| --------- | --: |', '| a         |   1 |', '| long name | 100 |'].join('\n'),
    );
  });
});
