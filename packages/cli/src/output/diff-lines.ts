/** One line of a unified diff with its number in the new file, or in the old one if it was removed. */
export type DiffLine = {
  readonly kind: 'added' | 'removed' | 'context' | 'gap';
  readonly number: number | null;
  readonly text: string;
};

const hunkPattern = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Parses the hunks of a unified diff. */
export function parseDiffLines(diff: string): readonly DiffLine[] {
  let oldNumber = 0;
  let newNumber = 0;
  return diff.split('\n').flatMap((line, index): readonly DiffLine[] => {
    const hunk = hunkPattern.exec(line);
    if (hunk !== null) {
      oldNumber = Number(hunk[1]);
      newNumber = Number(hunk[2]);
      return index === 0 ? [] : [{ kind: 'gap', number: null, text: '⋮' }];
    }
    const text = line.slice(1);
    if (line.startsWith('+')) return [{ kind: 'added', number: newNumber++, text }];
    if (line.startsWith('-')) return [{ kind: 'removed', number: oldNumber++, text }];
    if (!line.startsWith(' ')) return [{ kind: 'gap', number: null, text: line }];
    oldNumber += 1;
    return [{ kind: 'context', number: newNumber++, text }];
  });
}

const diffMarks = { added: '+', removed: '-', context: ' ', gap: ' ' } as const;

/** Formats the start of a line of a diff: its number and its mark. */
export function formatDiffGutter({ kind, number }: DiffLine): string {
  return `${String(number ?? '').padStart(5)} ${diffMarks[kind]} `;
}

/** Says what a change does to a file as a whole. */
export function describeFileChange({
  linesBefore,
  linesAfter,
}: {
  readonly linesBefore: number | null;
  readonly linesAfter: number;
}): string {
  if (linesBefore === null) return `creates the file, ${formatLines(linesAfter)}`;
  return linesBefore === linesAfter
    ? `changes the file, ${formatLines(linesAfter)}`
    : `changes the file, ${formatLines(linesBefore)} to ${linesAfter}`;
}

function formatLines(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}
