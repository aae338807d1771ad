import type { Moment, Span } from './timeline-model.ts';

/** What the axis measures: time, or events, which gives each the same room however long people were away. */
export type Axis = 'time' | 'events';

/** The part of the axis that is looked at, and how wide it is drawn. */
export type View = {
  readonly axis: Axis;
  readonly from: number;
  readonly to: number;
  readonly width: number;
};

export function valueOf(moment: Moment, axis: Axis): number {
  return axis === 'time' ? moment.at : moment.index;
}

export function pixelOf(value: number, { from, to, width }: View): number {
  return to <= from ? 0 : ((value - from) / (to - from)) * width;
}

export function valueAt(pixel: number, { from, to, width }: View): number {
  return width <= 0 ? from : from + (pixel / width) * (to - from);
}

/** A piece of a row as it is drawn: a span, or several that are too narrow to be told apart. */
export type Block = {
  readonly x: number;
  readonly width: number;
  readonly count: number;
  readonly isFailed: boolean;
  readonly isOpen: boolean;
  /** The first of them. */
  readonly span: Span;
};

/** Narrower than this nobody can tell a span from the next. */
const narrow = 3;

/**
 * The blocks of a row that are in sight: found by halving, and never more than there are pixels for. `now` is where what is
 * not over ends.
 */
export function blocksIn(spans: readonly Span[], view: View, now: number): readonly Block[] {
  const blocks: Block[] = [];
  for (let index = firstInSight(spans, view); index < spans.length; index += 1) {
    const span = spans[index];
    if (span === undefined || valueOf(span.from, view.axis) > view.to) break;
    const next = blockOf(span, view, now);
    const last = blocks.at(-1);
    const isClose = last !== undefined && next.x - (last.x + last.width) < 1;
    if (last !== undefined && isClose && isSmall(last) && isSmall(next))
      blocks[blocks.length - 1] = joined(last, next);
    else blocks.push(next);
  }
  return blocks;
}

/** Blocks that were joined may be joined further; a wide span stays by itself. */
function isSmall({ width, count }: Block): boolean {
  return count > 1 || width <= narrow;
}

function blockOf(span: Span, view: View, now: number): Block {
  const end = span.to === null ? Math.max(now, valueOf(span.from, view.axis)) : valueOf(span.to, view.axis);
  const left = Math.max(-4, pixelOf(valueOf(span.from, view.axis), view));
  const right = Math.min(view.width + 4, pixelOf(end, view));
  return {
    x: left,
    width: Math.max(2, right - left),
    count: 1,
    isFailed: span.ending === 'failed',
    isOpen: span.to === null,
    span,
  };
}

function joined(one: Block, other: Block): Block {
  return {
    ...one,
    width: Math.max(one.width, other.x + other.width - one.x),
    count: one.count + other.count,
    isFailed: one.isFailed || other.isFailed,
    isOpen: one.isOpen || other.isOpen,
  };
}

/** The spans of a row do not overlap, so their ends are in order too. */
function firstInSight(spans: readonly Span[], { axis, from }: View): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const to = spans[middle]?.to ?? null;
    if (to !== null && valueOf(to, axis) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type Range = { readonly from: number; readonly to: number };

/** Zooms around a place of the axis; never out of what there is, and never closer than anybody can use. */
export function zoomed(
  range: Range,
  around: number,
  factor: number,
  { all, least }: { readonly all: Range; readonly least: number },
): Range {
  const length = Math.min(Math.max((range.to - range.from) * factor, least), all.to - all.from);
  const share = range.to > range.from ? (around - range.from) / (range.to - range.from) : 0.5;
  return within({ from: around - share * length, to: around + (1 - share) * length }, all);
}

/** Moves along the axis, up to either end. */
export function within({ from, to }: Range, all: Range): Range {
  const length = Math.min(to - from, all.to - all.from);
  const start = Math.min(Math.max(from, all.from), all.to - length);
  return { from: start, to: start + length };
}

/** Round places for the axis to be labelled at, a handful of them. */
export function ticksOf({ axis, from, to, width }: View): readonly number[] {
  const wanted = Math.max(2, Math.floor(width / 110));
  const rough = (to - from) / wanted;
  if (!(rough > 0)) return [];
  const size = axis === 'time' ? timeStep(rough) : Math.max(1, roundStep(rough));
  const ticks: number[] = [];
  for (let at = Math.ceil(from / size) * size; at <= to && ticks.length < 200; at += size) ticks.push(at);
  return ticks;
}

const timeSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
];

function timeStep(rough: number): number {
  return timeSteps.find((each) => each >= rough) ?? Math.ceil(rough / 86_400_000) * 86_400_000;
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5].find((each) => each * power >= rough) ?? 10) * power;
}
