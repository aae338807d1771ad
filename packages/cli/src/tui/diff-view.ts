import { revealHiddenCharacters } from '@pawl/runtime/permission';
import { formatDiffGutter, parseDiffLines, type DiffLine } from '../output/diff-lines.ts';
import type { RecordedChange } from './screen-model.ts';
import {
  blankLine,
  createSegment,
  toPlainLine,
  wrapLine,
  type StyledLine,
  type TextStyle,
} from './styled-line.ts';

const diffStyles: { readonly [Kind in DiffLine['kind']]: TextStyle } = {
  added: 'good',
  removed: 'bad',
  context: 'plain',
  gap: 'dim',
};

/** Renders a unified diff with line numbers. Long lines are wrapped, so that nothing is hidden. */
export function renderDiff(diff: string, columns: number): readonly StyledLine[] {
  return parseDiffLines(diff).flatMap((line) => {
    const gutter = formatDiffGutter(line);
    const text = toPlainLine(revealHiddenCharacters(line.text));
    const rows = wrapLine(text, Math.max(1, columns - gutter.length - 1), 'anywhere');
    return rows.map((row, index): StyledLine => [
      createSegment(
        index === 0 ? gutter : ' '.repeat(gutter.length),
        line.kind === 'context' ? 'dim' : diffStyles[line.kind],
      ),
      createSegment(row, diffStyles[line.kind]),
    ]);
  });
}

/** Renders the changes of a turn, each under the name of its file. */
export function renderChanges(changes: readonly RecordedChange[], columns: number): readonly StyledLine[] {
  if (changes.length === 0)
    return [[createSegment('   No file has been changed since the last message.', 'dim')]];
  return changes.flatMap(({ path, diff }) => [
    [createSegment(` ${path}`, 'strong')],
    ...renderDiff(diff, columns),
    blankLine,
  ]);
}
