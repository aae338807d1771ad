import { duration } from '../../commands/show-time.ts';
import { fitted, rowsOf, seg, spread, type Line, type Segment } from '../line.ts';
import type { Card, CardStatus } from '../story.ts';

export type CardOptions = {
  readonly columns: number;
  readonly now: number;
  /** How many rows of what the tool said are shown; 0 for a card that is closed. */
  readonly rows: number;
};

/** A call on one row: how it stands, the tool, what it was asked, how long it took. Why it failed is on a second one. */
export function toolCard(card: Card, { columns, now, rows }: CardOptions): readonly Line[] {
  const progress =
    card.status === 'running' && card.said !== '' ? [seg(`  ${lastRow(card.said)}`, 'dim')] : [];
  const left: Line = [
    signs[card.status],
    seg(`${card.tool.padEnd(11)} `, 'strong'),
    seg(card.args, card.status === 'waiting' ? 'dim' : 'plain'),
    ...progress,
  ];
  const head = spread(left, [seg(timeOf(card, now), 'dim'), seg(' ')], columns);
  if (rows > 0 && card.said !== '') return [head, ...saidRows(card.said, columns, rows)];
  const isWrong = card.status === 'failed' || card.status === 'denied';
  return isWrong ? [head, fitted([seg('     '), seg(firstRow(card.said), 'dim')], columns)] : [head];
}

const signs: { readonly [Status in CardStatus]: Segment } = {
  waiting: seg('   · ', 'dim'),
  running: seg('   ▸ ', 'accent'),
  done: seg('   ✓ ', 'good'),
  failed: seg('   ✗ ', 'bad'),
  denied: seg('   ⊘ ', 'warn'),
  cancelled: seg('   – ', 'warn'),
};

/** How long it took or has taken, or how it stands where no time is known and the sign is not plain enough. */
function timeOf({ status, startedAt, tookMs }: Card, now: number): string {
  if (tookMs !== null) return duration(tookMs);
  if (status === 'waiting' || status === 'denied' || status === 'cancelled') return status;
  return status === 'running' && startedAt !== null
    ? `${Math.floor(Math.max(0, now - startedAt) / 1_000)} s`
    : '';
}

function saidRows(said: string, columns: number, max: number): readonly Line[] {
  const rows = rowsOf(said.trimEnd(), Math.max(1, columns - 8));
  const shown = rows.slice(0, max).map((row): Line => [seg('     │ ', 'dim'), seg(row, 'dim')]);
  const more = rows.length - max;
  return more > 0 ? [...shown, [seg(`     │ … ${more} more rows`, 'dim')]] : shown;
}

function firstRow(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? '';
}

function lastRow(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
