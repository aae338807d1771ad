import { describe, expect, it } from 'vitest';
import { lintMetricNames, parseExposition } from './exposition.ts';

const family = '# HELP a_total How often.\n# TYPE a_total counter\n';

describe('the exposition format parser', () => {
  it('reads names, labels with escapes, values and times', () => {
    const text = `${family}a_total{b="say \\"hi\\" \\\\ \\n",c=""} 3.5e2 1700000000000\n`;
    expect(parseExposition(text).get('a_total')).toEqual({
      name: 'a_total',
      type: 'counter',
      help: 'How often.',
      samples: [{ name: 'a_total', labels: { b: 'say "hi" \\ \n', c: '' }, value: 350 }],
    });
  });

  it.each([
    ['a missing line end', `${family}a_total 1`],
    ['no family', 'a_total 1\n'],
    ['another family', `${family}b_total 1\n`],
    ['no value', `${family}a_total\n`],
    ['a value that is not a number', `${family}a_total many\n`],
    ['a label without quotes', `${family}a_total{b=c} 1\n`],
    ['a raw quote in a label', `${family}a_total{b="c"d"} 1\n`],
    ['a duplicate label', `${family}a_total{b="c",b="d"} 1\n`],
    ['a duplicate series', `${family}a_total 1\na_total 2\n`],
    ['a negative count', `${family}a_total -1\n`],
    ['an unknown type', '# TYPE a metric\na 1\n'],
    [
      'buckets out of order',
      '# TYPE h histogram\nh_count 1\nh_sum 1\nh_bucket{le="2"} 1\nh_bucket{le="1"} 1\nh_bucket{le="+Inf"} 1\n',
    ],
    [
      'buckets that do not add up',
      '# TYPE h histogram\nh_count 2\nh_sum 1\nh_bucket{le="1"} 1\nh_bucket{le="+Inf"} 1\n',
    ],
  ])('rejects %s', (_, text) => {
    expect(() => parseExposition(text)).toThrow();
  });
});

describe('the lint of metric names', () => {
  it.each([
    ['no help', '# TYPE a_total counter\na_total 1\n', 'a_total has no help'],
    ['no type', '# HELP a What.\na 1\n', 'a has no type'],
    ['a counter without its ending', '# HELP a What.\n# TYPE a counter\na 1\n', 'does not end in _total'],
    [
      'a gauge that ends like a counter',
      '# HELP a_total A.\n# TYPE a_total gauge\na_total 1\n',
      'is no counter',
    ],
    [
      'another unit',
      '# HELP a_milliseconds A.\n# TYPE a_milliseconds gauge\na_milliseconds 1\n',
      'base unit',
    ],
    ['a type in the name', '# HELP a_gauge A.\n# TYPE a_gauge gauge\na_gauge 1\n', 'contains a type'],
    ['camel case', '# HELP aB A.\n# TYPE aB gauge\naB 1\n', 'snake case'],
    ['a bucket outside a histogram', '# HELP a A.\n# TYPE a gauge\na{le="1"} 1\n', 'label of a bucket'],
  ])('finds %s', (_, text, problem) => {
    expect(lintMetricNames(parseExposition(text))).toEqual([expect.stringContaining(problem)]);
  });

  it('accepts a counter with help', () => {
    expect(lintMetricNames(parseExposition(`${family}a_total{b="c"} 1\n`))).toEqual([]);
  });
});
