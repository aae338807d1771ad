import { describe, expect, it } from 'vitest';
import {
  parseDecimalOption,
  parsePortOption,
  parseTimeSpanOption,
  parseWholeNumberOption,
} from '../../src/options/parse-options.ts';
import { UsageError } from '../../src/output/exit-codes.ts';

const readUsageError = (read: () => number): string => {
  try {
    return `read as ${read()}`;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
};

describe('a numeric option', () => {
  it('is parsed as written', () => {
    expect(['1', ' 20 ', '1e6'].map((given) => parseWholeNumberOption('--n', given, 1))).toEqual([
      1, 20, 1_000_000,
    ]);
    expect(['0', '4141', '65535'].map((given) => parsePortOption('--port', given))).toEqual([
      0, 4_141, 65_535,
    ]);
    expect(['0', '2.5', ' 3 '].map((given) => parseDecimalOption('--price', given))).toEqual([0, 2.5, 3]);
    expect(['90m', '12h', '30d', '4w'].map((given) => parseTimeSpanOption('--older-than', given))).toEqual([
      5_400_000, 43_200_000, 2_592_000_000, 2_419_200_000,
    ]);
  });

  it.each(['', ' ', 'ten', '0', '-1', '1.5', 'NaN', 'Infinity', '9007199254740993'])(
    'is refused as a whole number of at least 1 when it is %j',
    (given) => {
      expect(readUsageError(() => parseWholeNumberOption('--n', given, 1))).toBe(
        `--n must be a whole number of at least 1, got ${JSON.stringify(given)}.`,
      );
    },
  );

  it.each([
    [() => parsePortOption('--port', '65536'), '--port must be a whole number from 0 to 65535, got "65536".'],
    [
      () => parseDecimalOption('--price', '-1'),
      '--price must be a number of at least 0, such as 2.5, got "-1".',
    ],
    [() => parseDecimalOption('--price', ''), '--price must be a number of at least 0, such as 2.5, got "".'],
    [
      () => parseTimeSpanOption('--every', '5s'),
      '--every must be a time span such as 90m, 12h, 30d or 4w, got "5s".',
    ],
  ])('says what would be right: %#', (read, message) => {
    expect(readUsageError(read)).toBe(message);
  });
});
