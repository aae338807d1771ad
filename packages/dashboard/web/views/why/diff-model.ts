/** One row of a side-by-side diff; a side without a line is null. */
export type DiffRow = {
  readonly left: string | null;
  readonly right: string | null;
  readonly isSame: boolean;
};

/** Longer texts are truncated; the event contains the full text. */
const diffLinesMax = 600;

/** Maximum number of line pairs to compare; beyond it, the differing middle is shown as replaced. */
const diffPairsMax = 250_000;

/** Computes a line diff with the longest common subsequence. */
export function diffTextRows(left: string, right: string): readonly DiffRow[] {
  const [one, other] = [splitLimitedLines(left), splitLimitedLines(right)];
  let head = 0;
  while (head < one.length && head < other.length && one[head] === other[head]) head += 1;
  let tail = 0;
  while (
    tail < one.length - head &&
    tail < other.length - head &&
    one[one.length - 1 - tail] === other[other.length - 1 - tail]
  ) {
    tail += 1;
  }
  return [
    ...one.slice(0, head).map(createSameRow),
    ...diffMiddleRows(one.slice(head, one.length - tail), other.slice(head, other.length - tail)),
    ...one.slice(one.length - tail).map(createSameRow),
  ];
}

/** Splits a text into lines, truncated to the maximum. */
function splitLimitedLines(text: string): readonly string[] {
  const lines = text.split('\n', diffLinesMax + 1);
  return lines.length <= diffLinesMax
    ? lines
    : [...lines.slice(0, diffLinesMax), '… (the rest is in the event)'];
}

function createSameRow(line: string): DiffRow {
  return { left: line, right: line, isSame: true };
}

function diffMiddleRows(one: readonly string[], other: readonly string[]): readonly DiffRow[] {
  if (one.length * other.length > diffPairsMax) return createReplacedRows(one, other);
  const lengths = computeCommonLengths(one, other);
  const rows: DiffRow[] = [];
  let [gone, come]: [string[], string[]] = [[], []];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    const [mine, yours] = [one[i], other[j]];
    if (mine !== undefined && mine === yours) {
      rows.push(...createReplacedRows(gone, come), createSameRow(mine));
      [gone, come] = [[], []];
      i += 1;
      j += 1;
    } else if (
      yours === undefined ||
      (mine !== undefined && getCommonLength(lengths, i + 1, j) >= getCommonLength(lengths, i, j + 1))
    ) {
      gone.push(mine ?? '');
      i += 1;
    } else {
      come.push(yours);
      j += 1;
    }
  }
  return [...rows, ...createReplacedRows(gone, come)];
}

function createReplacedRows(gone: readonly string[], come: readonly string[]): readonly DiffRow[] {
  return Array.from({ length: Math.max(gone.length, come.length) }, (_, index) => ({
    left: gone[index] ?? null,
    right: come[index] ?? null,
    isSame: false,
  }));
}

/** Computes the length of the longest common subsequence for every pair of suffixes. */
function computeCommonLengths(one: readonly string[], other: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    const row = lengths[i];
    if (row === undefined) continue;
    for (let j = other.length - 1; j >= 0; j -= 1) {
      row[j] =
        one[i] === other[j]
          ? getCommonLength(lengths, i + 1, j + 1) + 1
          : Math.max(getCommonLength(lengths, i + 1, j), getCommonLength(lengths, i, j + 1));
    }
  }
  return lengths;
}

function getCommonLength(lengths: readonly Uint16Array[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}
