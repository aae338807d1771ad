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
  const [leftLines, rightLines] = [splitLimitedLines(left), splitLimitedLines(right)];
  let head = 0;
  while (head < leftLines.length && head < rightLines.length && leftLines[head] === rightLines[head])
    head += 1;
  let tail = 0;
  while (
    tail < leftLines.length - head &&
    tail < rightLines.length - head &&
    leftLines[leftLines.length - 1 - tail] === rightLines[rightLines.length - 1 - tail]
  ) {
    tail += 1;
  }
  return [
    ...leftLines.slice(0, head).map(createSameRow),
    ...diffMiddleRows(
      leftLines.slice(head, leftLines.length - tail),
      rightLines.slice(head, rightLines.length - tail),
    ),
    ...leftLines.slice(leftLines.length - tail).map(createSameRow),
  ];
}

/** Splits a text into lines, truncated to the maximum. */
function splitLimitedLines(text: string): readonly string[] {
  const lines = text.split('\n', diffLinesMax + 1);
  return lines.length <= diffLinesMax
    ? lines
    : [...lines.slice(0, diffLinesMax), '… (truncated; the event has the full text)'];
}

function createSameRow(line: string): DiffRow {
  return { left: line, right: line, isSame: true };
}

function diffMiddleRows(leftLines: readonly string[], rightLines: readonly string[]): readonly DiffRow[] {
  if (leftLines.length * rightLines.length > diffPairsMax) return createReplacedRows(leftLines, rightLines);
  const lengths = computeCommonLengths(leftLines, rightLines);
  const rows: DiffRow[] = [];
  let [removed, added]: [string[], string[]] = [[], []];
  let [i, j] = [0, 0];
  while (i < leftLines.length || j < rightLines.length) {
    const [leftLine, rightLine] = [leftLines[i], rightLines[j]];
    if (leftLine !== undefined && leftLine === rightLine) {
      rows.push(...createReplacedRows(removed, added), createSameRow(leftLine));
      [removed, added] = [[], []];
      i += 1;
      j += 1;
    } else if (
      rightLine === undefined ||
      (leftLine !== undefined && getCommonLength(lengths, i + 1, j) >= getCommonLength(lengths, i, j + 1))
    ) {
      removed.push(leftLine ?? '');
      i += 1;
    } else {
      added.push(rightLine);
      j += 1;
    }
  }
  return [...rows, ...createReplacedRows(removed, added)];
}

function createReplacedRows(removed: readonly string[], added: readonly string[]): readonly DiffRow[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => ({
    left: removed[index] ?? null,
    right: added[index] ?? null,
    isSame: false,
  }));
}

/** Computes the length of the longest common subsequence for every pair of suffixes. */
function computeCommonLengths(
  leftLines: readonly string[],
  rightLines: readonly string[],
): readonly Uint16Array[] {
  const lengths = Array.from({ length: leftLines.length + 1 }, () => new Uint16Array(rightLines.length + 1));
  for (let i = leftLines.length - 1; i >= 0; i -= 1) {
    const row = lengths[i];
    if (row === undefined) continue;
    for (let j = rightLines.length - 1; j >= 0; j -= 1) {
      row[j] =
        leftLines[i] === rightLines[j]
          ? getCommonLength(lengths, i + 1, j + 1) + 1
          : Math.max(getCommonLength(lengths, i + 1, j), getCommonLength(lengths, i, j + 1));
    }
  }
  return lengths;
}

function getCommonLength(lengths: readonly Uint16Array[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}
