import { formatDuration } from '../../output/format-time.ts';
import {
  truncateLine,
  wrapText,
  createSegment,
  justifyLine,
  type StyledLine,
  type StyledSegment,
} from '../styled-line.ts';
import type { LiveToolCard, ToolCardStatus } from '../live-transcript.ts';

export type ToolCardOptions = {
  readonly columns: number;
  readonly now: number;
  /** Number of output rows to show; 0 for a closed card. */
  readonly rows: number;
};

/** Renders a call on one row: status, tool, arguments, duration. A second row shows why it failed. */
export function renderToolCard(
  card: LiveToolCard,
  { columns, now, rows }: ToolCardOptions,
): readonly StyledLine[] {
  const progress =
    card.status === 'running' && card.output !== ''
      ? [createSegment(`  ${getLastRow(card.output)}`, 'dim')]
      : [];
  const left: StyledLine = [
    cardStatusSymbols[card.status],
    createSegment(`${card.tool.padEnd(11)} `, 'strong'),
    createSegment(card.args, card.status === 'waiting' ? 'dim' : 'plain'),
    ...progress,
  ];
  const head = justifyLine(
    left,
    [createSegment(formatCardTime(card, now), 'dim'), createSegment(' ')],
    columns,
  );
  if (rows > 0 && card.output !== '') return [head, ...renderOutputRows(card.output, columns, rows)];
  const hasReason = card.status === 'failed' || card.status === 'denied';
  return hasReason
    ? [head, truncateLine([createSegment('     '), createSegment(getFirstRow(card.output), 'dim')], columns)]
    : [head];
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

function getFirstRow(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? '';
}

function getLastRow(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
