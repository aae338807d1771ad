import type { TimelineMoment, TimelineSpan } from './timeline-model.ts';

/** Unit of the axis: time, or events, which gives each event the same width regardless of idle time. */
export type TimelineAxis = 'time' | 'events';

/** The visible range of the axis, and its width in pixels. */
export type AxisView = {
  readonly axis: TimelineAxis;
  readonly from: number;
  readonly to: number;
  readonly width: number;
};

export function getAxisValue(moment: TimelineMoment, axis: TimelineAxis): number {
  return axis === 'time' ? moment.at : moment.index;
}

export function toPixel(value: number, { from, to, width }: AxisView): number {
  return to <= from ? 0 : ((value - from) / (to - from)) * width;
}

export function fromPixel(pixel: number, { from, to, width }: AxisView): number {
  return width <= 0 ? from : from + (pixel / width) * (to - from);
}

/** One drawn block of a row: a span, or several merged spans that are too narrow to distinguish. */
export type SpanBlock = {
  readonly x: number;
  readonly width: number;
  readonly count: number;
  readonly isFailed: boolean;
  readonly isOpen: boolean;
  /** The first of the merged spans. */
  readonly span: TimelineSpan;
};

/** Spans up to this width cannot be distinguished from their neighbors. */
const narrowWidth = 3;

/**
 * Lists the visible blocks of a row, found by binary search and never more than there are pixels. `now` is the end of
 * open spans.
 */
export function listVisibleBlocks(
  spans: readonly TimelineSpan[],
  view: AxisView,
  now: number,
): readonly SpanBlock[] {
  const blocks: SpanBlock[] = [];
  for (let index = findFirstVisible(spans, view); index < spans.length; index += 1) {
    const span = spans[index];
    if (span === undefined || getAxisValue(span.from, view.axis) > view.to) break;
    const next = toSpanBlock(span, view, now);
    const last = blocks.at(-1);
    const isClose = last !== undefined && next.x - (last.x + last.width) < 1;
    if (last !== undefined && isClose && isSmallBlock(last) && isSmallBlock(next))
      blocks[blocks.length - 1] = mergeBlocks(last, next);
    else blocks.push(next);
  }
  return blocks;
}

/** Merged blocks may be merged further; a wide span stays separate. */
function isSmallBlock({ width, count }: SpanBlock): boolean {
  return count > 1 || width <= narrowWidth;
}

function toSpanBlock(span: TimelineSpan, view: AxisView, now: number): SpanBlock {
  const end =
    span.to === null ? Math.max(now, getAxisValue(span.from, view.axis)) : getAxisValue(span.to, view.axis);
  const left = Math.max(-4, toPixel(getAxisValue(span.from, view.axis), view));
  const right = Math.min(view.width + 4, toPixel(end, view));
  return {
    x: left,
    width: Math.max(2, right - left),
    count: 1,
    isFailed: span.outcome === 'failed',
    isOpen: span.to === null,
    span,
  };
}

function mergeBlocks(one: SpanBlock, other: SpanBlock): SpanBlock {
  return {
    ...one,
    width: Math.max(one.width, other.x + other.width - one.x),
    count: one.count + other.count,
    isFailed: one.isFailed || other.isFailed,
    isOpen: one.isOpen || other.isOpen,
  };
}

/** The spans of a row do not overlap, so their ends are sorted too. */
function findFirstVisible(spans: readonly TimelineSpan[], { axis, from }: AxisView): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const to = spans[middle]?.to ?? null;
    if (to !== null && getAxisValue(to, axis) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type AxisRange = { readonly from: number; readonly to: number };

/** Zooms around a position, limited to the full range and to the minimum length. */
export function zoomRange(
  range: AxisRange,
  around: number,
  factor: number,
  { all, minLength }: { readonly all: AxisRange; readonly minLength: number },
): AxisRange {
  const length = Math.min(Math.max((range.to - range.from) * factor, minLength), all.to - all.from);
  const share = range.to > range.from ? (around - range.from) / (range.to - range.from) : 0.5;
  return clampRange({ from: around - share * length, to: around + (1 - share) * length }, all);
}

/** Moves a range into the full range. */
export function clampRange({ from, to }: AxisRange, all: AxisRange): AxisRange {
  const length = Math.min(to - from, all.to - all.from);
  const start = Math.min(Math.max(from, all.from), all.to - length);
  return { from: start, to: start + length };
}

/** Computes round positions for the axis labels. */
export function computeTicks({ axis, from, to, width }: AxisView): readonly number[] {
  const count = Math.max(2, Math.floor(width / 110));
  const rough = (to - from) / count;
  if (!(rough > 0)) return [];
  const size = axis === 'time' ? pickTimeStep(rough) : Math.max(1, pickRoundStep(rough));
  const ticks: number[] = [];
  for (let at = Math.ceil(from / size) * size; at <= to && ticks.length < 200; at += size) ticks.push(at);
  return ticks;
}

const timeSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
];

function pickTimeStep(rough: number): number {
  return timeSteps.find((each) => each >= rough) ?? Math.ceil(rough / 86_400_000) * 86_400_000;
}

function pickRoundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5].find((each) => each * power >= rough) ?? 10) * power;
}
