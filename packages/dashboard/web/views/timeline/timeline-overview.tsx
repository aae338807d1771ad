import { useMemo, useRef, type PointerEvent } from 'react';
import { listVisibleBlocks, type TimelineAxis, type AxisRange } from './scale-model.ts';
import { toneBySpanKind, type SpanTimeline } from './timeline-model.ts';

type TimelineOverviewProps = {
  readonly spanTimeline: SpanTimeline;
  readonly all: AxisRange;
  readonly range: AxisRange;
  readonly axis: TimelineAxis;
  readonly width: number;
  readonly gutter: number;
  readonly now: number;
  readonly selectRange: (range: AxisRange | null) => void;
};

const overviewHeight = 28;

/** Miniature of the whole timeline with the visible range framed. Dragging selects a range. */
export function TimelineOverview({
  spanTimeline,
  all,
  range,
  axis,
  width,
  gutter,
  now,
  selectRange,
}: TimelineOverviewProps) {
  const dragStart = useRef<number | null>(null);
  const scale = (value: number): number => ((value - all.from) / (all.to - all.from)) * width;
  const valueAt = (event: PointerEvent<SVGSVGElement>): number => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - gutter;
    return all.from + (Math.min(Math.max(x, 0), width) / width) * (all.to - all.from);
  };
  const rowHeight = (overviewHeight - 6) / Math.max(1, spanTimeline.rows.length);
  const until = axis === 'time' ? now : all.to;
  // Scan all spans once per change, not on every pointer move.
  const drawn = useMemo(
    () =>
      spanTimeline.rows.flatMap((row, index) =>
        listVisibleBlocks(row.spans, { axis, from: all.from, to: all.to, width }, until).map((block) => (
          <rect
            key={`${row.id} ${block.span.from.seq}`}
            className={`tone-${toneBySpanKind[block.span.kind]}${block.isFailed ? ' failed' : ''}`}
            x={Math.max(0, block.x)}
            y={3 + index * rowHeight}
            width={Math.max(1, block.width)}
            height={Math.max(1, rowHeight - 1)}
          />
        )),
      ),
    [spanTimeline, spanTimeline.end.index, axis, all.from, all.to, width, until, rowHeight],
  );
  const isZoomed = range.from > all.from || range.to < all.to;
  return (
    <svg
      className="overview"
      width={width + gutter}
      height={overviewHeight}
      aria-hidden="true"
      onPointerDown={(event) => {
        dragStart.current = valueAt(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const from = dragStart.current;
        if (from === null) return;
        const to = valueAt(event);
        const minLength = (all.to - all.from) / 200;
        if (Math.abs(to - from) > minLength)
          selectRange({ from: Math.min(from, to), to: Math.max(from, to) });
      }}
      onPointerUp={(event) => {
        const from = dragStart.current;
        dragStart.current = null;
        if (from === null || Math.abs(valueAt(event) - from) > (all.to - all.from) / 200 || !isZoomed) return;
        const half = (range.to - range.from) / 2;
        selectRange({ from: from - half, to: from + half });
      }}
    >
      <g transform={`translate(${gutter} 0)`}>
        <rect className="overview-back" width={width} height={overviewHeight} rx="4" />
        {drawn}
        {isZoomed && <OverviewFrame from={scale(range.from)} to={scale(range.to)} width={width} />}
      </g>
    </svg>
  );
}

/** Frames the visible range, in pixels; the rest is dimmed. */
function OverviewFrame({
  from,
  to,
  width,
}: {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}) {
  return (
    <>
      <rect className="overview-out" x="0" width={Math.max(0, from)} height={overviewHeight} />
      <rect className="overview-out" x={to} width={Math.max(0, width - to)} height={overviewHeight} />
      <rect
        className="overview-frame"
        x={from}
        width={Math.max(3, to - from)}
        y="0.5"
        height={overviewHeight - 1}
        rx="3"
      />
    </>
  );
}
