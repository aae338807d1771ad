import { useMemo, useRef, type PointerEvent } from 'react';
import { blocksIn, type Axis, type Range } from './scale-model.ts';
import { toneOfSpan } from './span-text.ts';
import type { Timeline } from './timeline-model.ts';

type OverviewProps = {
  readonly timeline: Timeline;
  readonly all: Range;
  readonly range: Range;
  readonly axis: Axis;
  readonly width: number;
  readonly gutter: number;
  readonly now: number;
  readonly choose: (range: Range | null) => void;
};

const height = 28;

/** The whole of it in small, with what is in sight framed. Dragging across it chooses a part. */
export function Overview({ timeline, all, range, axis, width, gutter, now, choose }: OverviewProps) {
  const begun = useRef<number | null>(null);
  const scale = (value: number): number => ((value - all.from) / (all.to - all.from)) * width;
  const valueAt = (event: PointerEvent<SVGSVGElement>): number => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - gutter;
    return all.from + (Math.min(Math.max(x, 0), width) / width) * (all.to - all.from);
  };
  const rowHeight = (height - 6) / Math.max(1, timeline.rows.length);
  const until = axis === 'time' ? now : all.to;
  // All there ever was is looked through once for each change, not for every movement of the pointer.
  const drawn = useMemo(
    () =>
      timeline.rows.flatMap((row, index) =>
        blocksIn(row.spans, { axis, from: all.from, to: all.to, width }, until).map((block) => (
          <rect
            key={`${row.id} ${block.span.from.seq}`}
            className={`tone-${toneOfSpan[block.span.kind]}${block.isFailed ? ' failed' : ''}`}
            x={Math.max(0, block.x)}
            y={3 + index * rowHeight}
            width={Math.max(1, block.width)}
            height={Math.max(1, rowHeight - 1)}
          />
        )),
      ),
    [timeline, timeline.end.index, axis, all.from, all.to, width, until, rowHeight],
  );
  const isPart = range.from > all.from || range.to < all.to;
  return (
    <svg
      className="overview"
      width={width + gutter}
      height={height}
      aria-hidden="true"
      onPointerDown={(event) => {
        begun.current = valueAt(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const from = begun.current;
        if (from === null) return;
        const to = valueAt(event);
        const least = (all.to - all.from) / 200;
        if (Math.abs(to - from) > least) choose({ from: Math.min(from, to), to: Math.max(from, to) });
      }}
      onPointerUp={(event) => {
        const from = begun.current;
        begun.current = null;
        if (from === null || Math.abs(valueAt(event) - from) > (all.to - all.from) / 200 || !isPart) return;
        const half = (range.to - range.from) / 2;
        choose({ from: from - half, to: from + half });
      }}
    >
      <g transform={`translate(${gutter} 0)`}>
        <rect className="overview-back" width={width} height={height} rx="4" />
        {drawn}
        {isPart && <Frame from={scale(range.from)} to={scale(range.to)} width={width} />}
      </g>
    </svg>
  );
}

/** What is in sight, in pixels; the rest is paler. */
function Frame({ from, to, width }: { readonly from: number; readonly to: number; readonly width: number }) {
  return (
    <>
      <rect className="overview-out" x="0" width={Math.max(0, from)} height={height} />
      <rect className="overview-out" x={to} width={Math.max(0, width - to)} height={height} />
      <rect
        className="overview-frame"
        x={from}
        width={Math.max(3, to - from)}
        y="0.5"
        height={height - 1}
        rx="3"
      />
    </>
  );
}
