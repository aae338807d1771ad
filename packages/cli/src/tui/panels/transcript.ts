import {
  blankLine,
  truncateLine,
  wrapText,
  createSegment,
  type StyledLine,
  type TextStyle,
} from '../styled-line.ts';
import { isFinalItem, type LiveTranscriptItem, type LiveTranscript } from '../live-transcript.ts';
import { renderToolCard } from './tool-card.ts';

export type TranscriptOptions = {
  readonly columns: number;
  readonly now: number;
  /** Number of output rows that a tool card shows. */
  readonly cardRows: number;
};

/** Renders the last rows of the transcript that fit, oldest first. */
export function renderTranscriptEnd(
  story: LiveTranscript,
  rows: number,
  reading: TranscriptOptions,
): readonly StyledLine[] {
  const parts: (readonly StyledLine[])[] = [];
  let count = 0;
  for (let index = story.items.length - 1; index >= 0 && count < rows; index -= 1) {
    const item = story.items[index];
    if (item === undefined) break;
    const lines = renderItem(item, reading);
    parts.push(lines);
    count += lines.length;
  }
  return parts.toReversed().flat().slice(-rows);
}

/** Renders all items that the transcript still holds. */
export function renderTranscript(
  { items, gone }: LiveTranscript,
  reading: TranscriptOptions,
): readonly StyledLine[] {
  const earlier: readonly StyledLine[] =
    gone === 0
      ? []
      : [[createSegment(`   … ${gone} earlier entries are not shown here; the log has them.`, 'dim')]];
  return [...earlier, ...items.flatMap((item) => renderItem(item, reading))];
}

/** Caches rendered lines per item, because a final item always renders the same. */
const itemLinesCache = new WeakMap<
  LiveTranscriptItem,
  { readonly key: string; readonly lines: readonly StyledLine[] }
>();

function renderItem(item: LiveTranscriptItem, reading: TranscriptOptions): readonly StyledLine[] {
  if (!isFinalItem(item)) return layoutItem(item, reading);
  const key = `${reading.columns}/${reading.cardRows}`;
  const before = itemLinesCache.get(item);
  if (before?.key === key) return before.lines;
  const lines = layoutItem(item, reading);
  itemLinesCache.set(item, { key, lines });
  return lines;
}

/** Maximum characters rendered of a streaming reply, from its end; no screen shows more. */
const maxStreamingCharacters = 12_000;

function layoutItem(
  item: LiveTranscriptItem,
  { columns, now, cardRows }: TranscriptOptions,
): readonly StyledLine[] {
  switch (item.kind) {
    case 'user':
      return [
        blankLine,
        ...renderMarkedText(item.text, columns, { mark: ' › ', markStyle: 'accent', style: 'strong' }),
      ];
    case 'model': {
      const text = item.isOver
        ? item.text.trimEnd()
        : item.text.slice(-maxStreamingCharacters).toWellFormed();
      return [
        blankLine,
        ...renderMarkedText(text, columns, { mark: '   ', markStyle: 'plain', style: 'plain' }),
      ];
    }
    case 'card':
      return renderToolCard(item, { columns, now, rows: cardRows });
    case 'remark':
      return renderMarkedText(item.text, columns, remarkMarkers[item.grade]);
    default:
      return item satisfies never;
  }
}

type LineMarker = { readonly mark: string; readonly markStyle: TextStyle; readonly style: TextStyle };

const remarkMarkers: {
  readonly [Grade in Extract<LiveTranscriptItem, { kind: 'remark' }>['grade']]: LineMarker;
} = {
  quiet: { mark: '   ', markStyle: 'dim', style: 'dim' },
  warn: { mark: ' ! ', markStyle: 'warn', style: 'warn' },
  bad: { mark: ' ✗ ', markStyle: 'bad', style: 'bad' },
};

function renderMarkedText(
  text: string,
  columns: number,
  { mark, markStyle, style }: LineMarker,
): readonly StyledLine[] {
  const rows = wrapText(text, Math.max(1, columns - mark.length - 1));
  return rows.map((row, index) =>
    truncateLine(
      [
        index === 0 ? createSegment(mark, markStyle) : createSegment(' '.repeat(mark.length)),
        createSegment(row, style),
      ],
      columns,
    ),
  );
}
