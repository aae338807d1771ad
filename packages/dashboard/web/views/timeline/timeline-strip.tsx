import { useMemo, useRef, useState, type PointerEvent } from 'react';
import { formatLocalClock, formatElapsedTime } from '../../app/format.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import {
  listVisibleBlocks,
  toPixel,
  computeTicks,
  fromPixel,
  getAxisValue,
  type SpanBlock,
  type AxisRange,
  type AxisView,
} from './scale-model.ts';
import {
  formatSpan,
  toneBySpanKind,
  type TimelineBand,
  type TimelineVerdict,
  type TimelineRow,
  type TimelineSpan,
  type SpanTimeline,
} from './timeline-model.ts';

type TimelineStripProps = {
  readonly spanTimeline: SpanTimeline;
  readonly view: AxisView;
  readonly now: number;
  /** Axis position of the selected event. */
  readonly at: number;
  readonly gutter: number;
  readonly hover: (span: TimelineSpan | null) => void;
  readonly selectPosition: (value: number) => void;
  readonly goTo: (seq: number) => void;
  readonly openExplanation: (seq: number) => void;
  readonly selectRange: (range: AxisRange) => void;
};

const axisHeight = 22;
const bandHeight = 18;
const stripRowHeight = 26;
const markHeight = 20;

/** The rows of the timeline: bands on top, marks below them, then the spans. */
export function TimelineStrip(props: TimelineStripProps) {
  const { spanTimeline, view, now, at, gutter, selectPosition, selectRange } = props;
  const { rows, phases, modes, verdicts } = spanTimeline;
  const bands = [phases, modes].filter((each) => each.length > 0);
  const marksTop = axisHeight + bands.length * bandHeight;
  const rowsTop = marksTop + (verdicts.length > 0 ? markHeight : 4);
  const height = rowsTop + rows.length * stripRowHeight + 4;
  const cursor = toPixel(at, view);
  const brush = useRangeBrush(view, gutter, { selectPosition, selectRange });
  return (
    <svg className="strip" width={view.width + gutter} height={height} {...brush.handlers}>
      <svg x={gutter} width={view.width} height={height}>
        <AxisTicks view={view} height={height} start={spanTimeline.start?.at ?? 0} />
        {bands.map((list, index) => (
          <BandRow
            key={list === phases ? 'phases' : 'modes'}
            list={list}
            kind={list === phases ? 'phase' : 'mode'}
            y={axisHeight + index * bandHeight}
            view={view}
            now={now}
            height={height}
          />
        ))}
        {rows.map((row, index) => (
          <SpanRow key={row.id} row={row} y={rowsTop + index * stripRowHeight} {...props} />
        ))}
        <VerdictMarkers list={verdicts} y={marksTop} height={height} {...props} />
        {cursor < view.width && (
          <rect
            className="strip-future"
            x={Math.max(0, cursor)}
            width={view.width - Math.max(0, cursor)}
            y={axisHeight}
            height={height - axisHeight}
          />
        )}
        {cursor >= 0 && cursor <= view.width && (
          <line className="strip-cursor" x1={cursor} x2={cursor} y1={axisHeight - 4} y2={height} />
        )}
        {brush.from !== null && (
          <rect
            className="strip-brush"
            x={Math.min(brush.from, brush.to)}
            width={Math.abs(brush.to - brush.from)}
            height={height}
          />
        )}
      </svg>
      {rows.map((row, index) => (
        <text
          key={row.id}
          className="strip-name"
          x={gutter - 10}
          y={rowsTop + index * stripRowHeight + stripRowHeight / 2 + 4}
          textAnchor="end"
        >
          {row.label}
        </text>
      ))}
    </svg>
  );
}

function AxisTicks({
  view,
  height,
  start,
}: {
  readonly view: AxisView;
  readonly height: number;
  readonly start: number;
}) {
  const offset = view.axis === 'time' ? start : 0;
  // Ticks are round relative to the start of the session, not to clock time.
  const ticks = computeTicks({ ...view, from: view.from - offset, to: view.to - offset });
  return (
    <g className="strip-ticks">
      {ticks.map((tick) => {
        const x = toPixel(tick + offset, view);
        return (
          <g key={tick} transform={`translate(${x} 0)`}>
            <line y1={axisHeight - 6} y2={height} />
            <text y={12} textAnchor={x < 20 ? 'start' : x > view.width - 30 ? 'end' : 'middle'}>
              {view.axis === 'time' ? `+${formatElapsedTime(tick)}` : tick + 1}
              {view.axis === 'time' && <title>{formatLocalClock(tick + offset)}</title>}
            </text>
          </g>
        );
      })}
    </g>
  );
}

type BandRowProps = {
  readonly list: readonly TimelineBand[];
  readonly kind: 'phase' | 'mode';
  readonly y: number;
  readonly view: AxisView;
  readonly now: number;
  readonly height: number;
};

/** Approximate width of a character. */
const letterWidth = 7;

/** Truncates a label to the available width; one or two letters would be meaningless. */
function fitLabel(label: string, availableWidth: number): string {
  const characters = Math.floor((availableWidth - 8) / letterWidth);
  const text = toSafeLine(label, 200);
  if (text.length <= characters) return text;
  return characters < 6 ? '' : `${text.slice(0, characters - 1)}…`;
}

function BandRow({ list, kind, y, view, now, height }: BandRowProps) {
  const visible = list.flatMap((band, index) => {
    const from = Math.max(0, toPixel(getAxisValue(band.from, view.axis), view));
    const end = band.to === null ? (view.axis === 'time' ? now : view.to) : getAxisValue(band.to, view.axis);
    const to = Math.min(view.width, toPixel(end, view));
    return to - from < 1 ? [] : [{ band, index, from, width: to - from }];
  });
  return (
    <g className={`strip-bands ${kind} ${kind === 'phase' ? 'tone-phase' : 'tone-check'}`}>
      {visible.map(({ band, index, from, width }) => (
        <g key={index} transform={`translate(${from} ${y})`}>
          <title>{`${kind} ${band.label}${band.success === false ? ', failed' : ''}`}</title>
          {kind === 'phase' && (
            <rect
              className={`strip-shade ${index % 2 === 0 ? 'even' : 'odd'}`}
              y={0}
              width={width}
              height={height - y}
            />
          )}
          <rect
            className={`strip-band ${index % 2 === 0 ? 'even' : 'odd'}${band.success === false ? ' failed' : ''}`}
            width={Math.max(1, width - 1)}
            height={bandHeight - 3}
            rx="3"
          />
          <text x={5} y={11.5}>
            {fitLabel(band.label, width)}
          </text>
        </g>
      ))}
    </g>
  );
}

function SpanRow({
  row,
  y,
  spanTimeline,
  view,
  now,
  hover: point,
  goTo,
}: TimelineStripProps & { readonly row: TimelineRow; readonly y: number }) {
  const { axis, from, to, width } = view;
  const until = axis === 'time' ? now : to;
  // The row is a mutable list whose last span may still end; its length and the event change when it does.
  const blocks = useMemo(
    () => listVisibleBlocks(row.spans, { axis, from, to, width }, until),
    [row.spans, row.spans.length, spanTimeline.end.index, axis, from, to, width, until],
  );
  return (
    <g transform={`translate(0 ${y})`}>
      <line className="strip-rail" x1="0" x2={view.width} y1={stripRowHeight / 2} y2={stripRowHeight / 2} />
      {blocks.map((block) => (
        <SpanBlockMark
          key={`${block.span.from.seq} ${block.span.label}`}
          block={block}
          view={view}
          now={now}
          hover={point}
          goTo={goTo}
        />
      ))}
    </g>
  );
}

type SpanBlockMarkProps = {
  readonly block: SpanBlock;
  readonly view: AxisView;
  readonly now: number;
  readonly hover: (span: TimelineSpan | null) => void;
  readonly goTo: (seq: number) => void;
};

function SpanBlockMark({ block, view, now, hover, goTo }: SpanBlockMarkProps) {
  const { span, x, width, count } = block;
  const dueOffset = span.dueAt === null || view.axis !== 'time' ? null : toPixel(span.dueAt, view) - x;
  return (
    <g
      className={getBlockClasses(block)}
      transform={`translate(${x} 4)`}
      data-kind={span.kind}
      onPointerEnter={() => hover(span)}
      onPointerLeave={() => hover(null)}
      onClick={(event) => {
        event.stopPropagation();
        goTo(span.to?.seq ?? span.from.seq);
      }}
    >
      <title>{count > 1 ? `${count} spans; first: ${formatSpan(span, now)}` : formatSpan(span, now)}</title>
      <rect
        width={Math.max(2, width - (width > 6 ? 1 : 0))}
        height={stripRowHeight - 8}
        rx={width > 6 ? 3 : 1}
      />
      {dueOffset !== null && dueOffset > 0 && (
        <path className="strip-due" d={`M ${dueOffset} -2 v ${stripRowHeight - 4}`} />
      )}
      {count === 1 && (
        <text x={5} y={13}>
          {fitLabel(formatSpanLabel(span), width)}
        </text>
      )}
    </g>
  );
}

function getBlockClasses({ span: { kind, outcome }, isFailed, isOpen }: SpanBlock): string {
  const flags = [isFailed && 'failed', isOpen && 'open', outcome === 'cancelled' && 'called-off'];
  return [
    'strip-block',
    `tone-${toneBySpanKind[kind]}`,
    kind,
    ...flags.filter((flag) => flag !== false),
  ].join(' ');
}

function formatSpanLabel({ label, attempt }: TimelineSpan): string {
  return attempt !== null && attempt > 1 ? `${label} (attempt ${attempt})` : label;
}

function VerdictMarkers({
  list,
  y,
  height,
  view,
  openExplanation,
}: TimelineStripProps & {
  readonly list: readonly TimelineVerdict[];
  readonly y: number;
  readonly height: number;
}) {
  const visible = list.flatMap((mark) => {
    const x = toPixel(getAxisValue(mark, view.axis), view);
    return x < -8 || x > view.width + 8 ? [] : [{ mark, x }];
  });
  return (
    <g className="strip-marks tone-governor">
      {dropOverlappingMarks(visible).map(({ mark, x }) => (
        <g
          key={`${mark.seq} ${mark.verdict.rule}`}
          className={`strip-mark ${mark.verdict.severity}`}
          transform={`translate(${x} ${y + 9})`}
          onClick={(event) => {
            event.stopPropagation();
            openExplanation(mark.seq);
          }}
        >
          <title>{`${mark.verdict.severity} by ${mark.verdict.rule}: ${toSafeLine(mark.verdict.reason)} (${mark.verdict.response.kind})`}</title>
          <line y1={8} y2={height - y - 12} />
          <path d="M 0 -7 L 7 0 L 0 7 L -7 0 z" />
        </g>
      ))}
    </g>
  );
}

/** Merges marks that overlap. */
function dropOverlappingMarks<Each extends { readonly x: number }>(list: readonly Each[]): readonly Each[] {
  const visible: Each[] = [];
  for (const each of list) if (each.x - (visible.at(-1)?.x ?? -Infinity) >= 3) visible.push(each);
  return visible;
}

type RangeBrush = {
  readonly from: number | null;
  readonly to: number;
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent<SVGSVGElement>) => void;
    readonly onPointerMove: (event: PointerEvent<SVGSVGElement>) => void;
    readonly onPointerUp: (event: PointerEvent<SVGSVGElement>) => void;
    readonly onPointerCancel: () => void;
  };
};

/** A click selects the event at that position; a drag selects a range. */
function useRangeBrush(
  view: AxisView,
  gutter: number,
  { selectPosition, selectRange }: Pick<TimelineStripProps, 'selectPosition' | 'selectRange'>,
): RangeBrush {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const dragStart = useRef<number | null>(null);
  const pixel = (event: PointerEvent<SVGSVGElement>): number =>
    event.clientX - event.currentTarget.getBoundingClientRect().left - gutter;
  return {
    from: drag?.from ?? null,
    to: drag?.to ?? 0,
    handlers: {
      onPointerDown: (event) => {
        if (event.button === 0 && pixel(event) >= 0) dragStart.current = pixel(event);
      },
      onPointerMove: (event) => {
        const from = dragStart.current;
        if (from === null || (drag === null && Math.abs(pixel(event) - from) < 5)) return;
        if (drag === null) event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from, to: Math.min(Math.max(pixel(event), 0), view.width) });
      },
      onPointerUp: (event) => {
        const from = dragStart.current;
        dragStart.current = null;
        setDrag(null);
        if (from === null) return;
        if (drag !== null) {
          selectRange({
            from: fromPixel(Math.min(from, drag.to), view),
            to: fromPixel(Math.max(from, drag.to), view),
          });
        } else if (!(event.target instanceof Element && event.target.closest('.strip-block, .strip-mark'))) {
          selectPosition(fromPixel(from, view));
        }
      },
      onPointerCancel: () => {
        dragStart.current = null;
        setDrag(null);
      },
    },
  };
}
