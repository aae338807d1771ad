import {
  blankLine,
  truncateLine,
  wrapText,
  createSegment,
  type StyledLine,
  type TextStyle,
  justifyLine,
  type StyledSegment,
} from './styled-line.ts';
import {
  isFinalItem,
  type LiveTranscriptItem,
  type LiveTranscript,
  type LiveToolCard,
  type ToolCardStatus,
} from './live-transcript.ts';
import { renderDiff } from './diff-view.ts';
import { formatDuration } from '../output/format-time.ts';

export type TranscriptOptions = {
  readonly columns: number;
  readonly now: number;
  /** Number of output rows that a tool card shows. */
  readonly cardRows: number;
};

/** Renders the last rows of the transcript that fit, oldest first. */
export function renderTranscriptEnd(
  transcript: LiveTranscript,
  rows: number,
  options: TranscriptOptions,
): readonly StyledLine[] {
  const parts: (readonly StyledLine[])[] = [];
  let count = 0;
  for (let index = transcript.items.length - 1; index >= 0 && count < rows; index -= 1) {
    const item = transcript.items[index];
    if (item === undefined) break;
    const lines = renderItem(item, options);
    parts.push(lines);
    count += lines.length;
  }
  return parts.toReversed().flat().slice(-rows);
}

/** Renders all items that the transcript still holds. */
export function renderTranscript(
  { items, droppedCount }: LiveTranscript,
  options: TranscriptOptions,
): readonly StyledLine[] {
  const earlier: readonly StyledLine[] =
    droppedCount === 0
      ? []
      : [[createSegment(`   … ${droppedCount} earlier entries are not shown here; see the log.`, 'dim')]];
  return [...earlier, ...items.flatMap((item) => renderItem(item, options))];
}

/** Caches rendered lines per item, because a final item always renders the same. */
const itemLinesCache = new WeakMap<
  LiveTranscriptItem,
  { readonly key: string; readonly lines: readonly StyledLine[] }
>();

function renderItem(item: LiveTranscriptItem, options: TranscriptOptions): readonly StyledLine[] {
  if (!isFinalItem(item)) return layoutItem(item, options);
  const key = `${options.columns}/${options.cardRows}`;
  const cached = itemLinesCache.get(item);
  if (cached?.key === key) return cached.lines;
  const lines = layoutItem(item, options);
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
      const text = item.isComplete
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
      return renderMarkedText(item.text, columns, remarkMarkers[item.severity]);
    default:
      return item satisfies never;
  }
}

type LineMarker = { readonly mark: string; readonly markStyle: TextStyle; readonly style: TextStyle };

const remarkMarkers: {
  readonly [Grade in Extract<LiveTranscriptItem, { kind: 'remark' }>['severity']]: LineMarker;
} = {
  info: { mark: '   ', markStyle: 'dim', style: 'dim' },
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

type ToolCardOptions = {
  readonly columns: number;
  readonly now: number;
  /** Number of output rows to show; 0 for a closed card. */
  readonly rows: number;
};

/** Renders a call on one row: status, what it does, the last line of its output so far, duration; then its details. */
function renderToolCard(card: LiveToolCard, options: ToolCardOptions): readonly StyledLine[] {
  const { status, output } = card;
  const progress =
    status === 'running' && output !== '' ? [createSegment(`  ${getLastRow(output)}`, 'dim')] : [];
  const left: StyledLine = [
    cardStatusSymbols[status],
    createSegment(status === 'done' ? card.done : card.doing, status === 'waiting' ? 'dim' : 'plain'),
    ...progress,
  ];
  const time: StyledLine = [createSegment(formatCardTime(card, options.now), 'dim'), createSegment(' ')];
  return [justifyLine(left, time, options.columns), ...renderCardDetails(card, options)];
}

/** What an open card shows, or the change that a call has made, or why it has not succeeded. */
function renderCardDetails(
  { status, output, diff }: LiveToolCard,
  { columns, rows }: ToolCardOptions,
): readonly StyledLine[] {
  if (status === 'done' && diff !== '')
    return indentRows(renderDiff(diff, columns - 4), rows > 0 ? Infinity : maxDiffRows);
  if (output === '') return [];
  if (rows > 0) return renderOutputRows(output, columns, rows);
  return failureStatuses.has(status) ? renderFailure(output, columns) : [];
}

const failureStatuses: ReadonlySet<ToolCardStatus> = new Set(['failed', 'denied', 'cancelled']);

/** Number of rows of a diff that a closed card shows. */
const maxDiffRows = 12;

function indentRows(lines: readonly StyledLine[], max: number): readonly StyledLine[] {
  const hidden = lines.length - max;
  const shown = hidden > 0 ? lines.slice(0, max) : lines;
  return [
    ...shown.map((line): StyledLine => [createSegment('   '), ...line]),
    ...(hidden > 0 ? [[createSegment(`     … ${hidden} more rows: ctrl-o`, 'dim')]] : []),
  ];
}

/** The end of a long failure says most; its first line says what failed. */
const maxFailureTail = 3;

function renderFailure(output: string, columns: number): readonly StyledLine[] {
  const [first = '', ...others] = output.split('\n').filter((line) => line.trim() !== '');
  const hidden = others.length - maxFailureTail;
  return [
    first,
    ...(hidden > 0 ? [`… ${hidden} more lines: ctrl-o`] : []),
    ...others.slice(-maxFailureTail),
  ].map((line) => truncateLine([createSegment('     '), createSegment(line, 'dim')], columns));
}

const cardStatusSymbols: { readonly [Status in ToolCardStatus]: StyledSegment } = {
  waiting: createSegment('   · ', 'dim'),
  running: createSegment('   ▸ ', 'accent'),
  done: createSegment('   ✓ ', 'good'),
  failed: createSegment('   ✗ ', 'bad'),
  denied: createSegment('   ⊘ ', 'warn'),
  cancelled: createSegment('   – ', 'warn'),
};

/** Formats the duration, or the status if no duration is known and the symbol is not clear enough. */
function formatCardTime({ status, startedAt, durationMs }: LiveToolCard, now: number): string {
  if (durationMs !== null) return formatDuration(durationMs);
  if (status === 'waiting' || status === 'denied' || status === 'cancelled') return status;
  return status === 'running' && startedAt !== null
    ? `${Math.floor(Math.max(0, now - startedAt) / 1_000)} s`
    : '';
}

function renderOutputRows(output: string, columns: number, max: number): readonly StyledLine[] {
  const rows = wrapText(output.trimEnd(), Math.max(1, columns - 8));
  const shown = rows
    .slice(0, max)
    .map((row): StyledLine => [createSegment('     │ ', 'dim'), createSegment(row, 'dim')]);
  const more = rows.length - max;
  return more > 0 ? [...shown, [createSegment(`     │ … ${more} more rows`, 'dim')]] : shown;
}

function getLastRow(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
