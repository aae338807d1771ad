/** A line of two texts side by side; a side that has no such line is null. */
export type DiffRow = {
  readonly left: string | null;
  readonly right: string | null;
  readonly isSame: boolean;
};

/** More lines than this are shown as they are; the log has them whole. */
const linesMax = 600;

/** How many pairs of lines are compared at most: beyond that the middle is told as replaced. */
const pairsMax = 250_000;

/** Two texts line by line, with as many lines in common as there are. */
export function diffRows(left: string, right: string): readonly DiffRow[] {
  const [one, other] = [linesOf(left), linesOf(right)];
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
    ...one.slice(0, head).map(sameRow),
    ...middleRows(one.slice(head, one.length - tail), other.slice(head, other.length - tail)),
    ...one.slice(one.length - tail).map(sameRow),
  ];
}

/** A text as lines, cut where nobody reads on. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n', linesMax + 1);
  return lines.length <= linesMax ? lines : [...lines.slice(0, linesMax), '… (the rest is in the event)'];
}

function sameRow(line: string): DiffRow {
  return { left: line, right: line, isSame: true };
}

function middleRows(one: readonly string[], other: readonly string[]): readonly DiffRow[] {
  if (one.length * other.length > pairsMax) return replaced(one, other);
  const lengths = commonLengths(one, other);
  const rows: DiffRow[] = [];
  let [gone, come]: [string[], string[]] = [[], []];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    const [mine, yours] = [one[i], other[j]];
    if (mine !== undefined && mine === yours) {
      rows.push(...replaced(gone, come), sameRow(mine));
      [gone, come] = [[], []];
      i += 1;
      j += 1;
    } else if (
      yours === undefined ||
      (mine !== undefined && lengthAt(lengths, i + 1, j) >= lengthAt(lengths, i, j + 1))
    ) {
      gone.push(mine ?? '');
      i += 1;
    } else {
      come.push(yours);
      j += 1;
    }
  }
  return [...rows, ...replaced(gone, come)];
}

function replaced(gone: readonly string[], come: readonly string[]): readonly DiffRow[] {
  return Array.from({ length: Math.max(gone.length, come.length) }, (_, index) => ({
    left: gone[index] ?? null,
    right: come[index] ?? null,
    isSame: false,
  }));
}

/** How many lines the rests from each pair of places on have in common. */
function commonLengths(one: readonly string[], other: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    const row = lengths[i];
    if (row === undefined) continue;
    for (let j = other.length - 1; j >= 0; j -= 1) {
      row[j] =
        one[i] === other[j]
          ? lengthAt(lengths, i + 1, j + 1) + 1
          : Math.max(lengthAt(lengths, i + 1, j), lengthAt(lengths, i, j + 1));
    }
  }
  return lengths;
}

function lengthAt(lengths: readonly Uint16Array[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}
