import { useMemo, useRef, useState, type PointerEvent } from 'react';
import { clockTime, duration } from '../../app/format.ts';
import { visibleLine } from '../../app/visible.ts';
import {
  blocksIn,
  pixelOf,
  ticksOf,
  valueAt,
  valueOf,
  type Block,
  type Range,
  type View,
} from './scale-model.ts';
import { spanText, toneOfSpan } from './span-text.ts';
import type { Band, Mark, Row, Span, Timeline } from './timeline-model.ts';

type StripProps = {
  readonly timeline: Timeline;
  readonly view: View;
  readonly now: number;
  /** Where on the axis the event stands that is looked at. */
  readonly at: number;
  readonly gutter: number;
  readonly point: (span: Span | null) => void;
  readonly pick: (value: number) => void;
  readonly goTo: (seq: number) => void;
  readonly goWhy: (seq: number) => void;
  readonly choose: (range: Range) => void;
};

const axisHeight = 22;
const bandHeight = 18;
const rowHeight = 26;
const markHeight = 20;

/** The rows themselves: bands on top, marks under them, and what took time below. */
export function Strip(props: StripProps) {
  const { timeline, view, now, at, gutter, pick, choose } = props;
  const { rows, phases, modes, marks } = timeline;
  const bands = [phases, modes].filter((each) => each.length > 0);
  const marksTop = axisHeight + bands.length * bandHeight;
  const rowsTop = marksTop + (marks.length > 0 ? markHeight : 4);
  const height = rowsTop + rows.length * rowHeight + 4;
  const cursor = pixelOf(at, view);
  const brush = useBrush(view, gutter, { pick, choose });
  return (
    <svg className="strip" width={view.width + gutter} height={height} {...brush.handlers}>
      <svg x={gutter} width={view.width} height={height}>
        <Ticks view={view} height={height} begin={timeline.begin?.at ?? 0} />
        {bands.map((list, index) => (
          <Bands
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
          <Spans key={row.id} row={row} y={rowsTop + index * rowHeight} {...props} />
        ))}
        <Marks list={marks} y={marksTop} height={height} {...props} />
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
          y={rowsTop + index * rowHeight + rowHeight / 2 + 4}
          textAnchor="end"
        >
          {row.label}
        </text>
      ))}
    </svg>
  );
}

function Ticks({
  view,
  height,
  begin,
}: {
  readonly view: View;
  readonly height: number;
  readonly begin: number;
}) {
  const offset = view.axis === 'time' ? begin : 0;
  // Round times are those since the beginning, not those of the clock.
  const ticks = ticksOf({ ...view, from: view.from - offset, to: view.to - offset });
  return (
    <g className="strip-ticks">
      {ticks.map((tick) => {
        const x = pixelOf(tick + offset, view);
        return (
          <g key={tick} transform={`translate(${x} 0)`}>
            <line y1={axisHeight - 6} y2={height} />
            <text y={12} textAnchor={x < 20 ? 'start' : x > view.width - 30 ? 'end' : 'middle'}>
              {view.axis === 'time' ? `+${duration(tick)}` : tick + 1}
              {view.axis === 'time' && <title>{clockTime(tick + offset)}</title>}
            </text>
          </g>
        );
      })}
    </g>
  );
}

type BandsProps = {
  readonly list: readonly Band[];
  readonly kind: 'phase' | 'mode';
  readonly y: number;
  readonly view: View;
  readonly now: number;
  readonly height: number;
};

/** A character is about so wide. */
const letter = 7;

/** As much of a label as there is room for; a letter or two would say nothing. */
function fitting(label: string, room: number): string {
  const letters = Math.floor((room - 8) / letter);
  const text = visibleLine(label, 200);
  if (text.length <= letters) return text;
  return letters < 6 ? '' : `${text.slice(0, letters - 1)}…`;
}

function Bands({ list, kind, y, view, now, height }: BandsProps) {
  const seen = list.flatMap((band, index) => {
    const from = Math.max(0, pixelOf(valueOf(band.from, view.axis), view));
    const end = band.to === null ? (view.axis === 'time' ? now : view.to) : valueOf(band.to, view.axis);
    const to = Math.min(view.width, pixelOf(end, view));
    return to - from < 1 ? [] : [{ band, index, from, width: to - from }];
  });
  return (
    <g className={`strip-bands ${kind} ${kind === 'phase' ? 'tone-phase' : 'tone-check'}`}>
      {seen.map(({ band, index, from, width }) => (
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
            {fitting(band.label, width)}
          </text>
        </g>
      ))}
    </g>
  );
}

function Spans({
  row,
  y,
  timeline,
  view,
  now,
  point,
  goTo,
}: StripProps & { readonly row: Row; readonly y: number }) {
  const { axis, from, to, width } = view;
  const until = axis === 'time' ? now : to;
  // The list is one that grows and whose last may end; its length and the event tell when.
  const blocks = useMemo(
    () => blocksIn(row.spans, { axis, from, to, width }, until),
    [row.spans, row.spans.length, timeline.end.index, axis, from, to, width, until],
  );
  return (
    <g transform={`translate(0 ${y})`}>
      <line className="strip-rail" x1="0" x2={view.width} y1={rowHeight / 2} y2={rowHeight / 2} />
      {blocks.map((block) => (
        <BlockShown
          key={`${block.span.from.seq} ${block.span.label}`}
          block={block}
          view={view}
          now={now}
          point={point}
          goTo={goTo}
        />
      ))}
    </g>
  );
}

type BlockProps = {
  readonly block: Block;
  readonly view: View;
  readonly now: number;
  readonly point: (span: Span | null) => void;
  readonly goTo: (seq: number) => void;
};

function BlockShown({ block, view, now, point, goTo }: BlockProps) {
  const { span, x, width, count } = block;
  const due = span.dueAt === null || view.axis !== 'time' ? null : pixelOf(span.dueAt, view) - x;
  return (
    <g
      className={classesOf(block)}
      transform={`translate(${x} 4)`}
      data-kind={span.kind}
      onPointerEnter={() => point(span)}
      onPointerLeave={() => point(null)}
      onClick={(event) => {
        event.stopPropagation();
        goTo(span.to?.seq ?? span.from.seq);
      }}
    >
      <title>
        {count > 1 ? `${count} in a row; the first: ${spanText(span, now)}` : spanText(span, now)}
      </title>
      <rect width={Math.max(2, width - (width > 6 ? 1 : 0))} height={rowHeight - 8} rx={width > 6 ? 3 : 1} />
      {due !== null && due > 0 && <path className="strip-due" d={`M ${due} -2 v ${rowHeight - 4}`} />}
      {count === 1 && (
        <text x={5} y={13}>
          {fitting(labelOf(span), width)}
        </text>
      )}
    </g>
  );
}

function classesOf({ span: { kind, ending }, isFailed, isOpen }: Block): string {
  const flags = [isFailed && 'failed', isOpen && 'open', ending === 'called off' && 'called-off'];
  return ['strip-block', `tone-${toneOfSpan[kind]}`, kind, ...flags.filter((flag) => flag !== false)].join(
    ' ',
  );
}

function labelOf({ label, attempt }: Span): string {
  return attempt !== null && attempt > 1 ? `${label} (try ${attempt})` : label;
}

function Marks({
  list,
  y,
  height,
  view,
  goWhy,
}: StripProps & { readonly list: readonly Mark[]; readonly y: number; readonly height: number }) {
  const seen = list.flatMap((mark) => {
    const x = pixelOf(valueOf(mark, view.axis), view);
    return x < -8 || x > view.width + 8 ? [] : [{ mark, x }];
  });
  return (
    <g className="strip-marks tone-governor">
      {thinnedMarks(seen).map(({ mark, x }) => (
        <g
          key={`${mark.seq} ${mark.verdict.rule}`}
          className={`strip-mark ${mark.verdict.level}`}
          transform={`translate(${x} ${y + 9})`}
          onClick={(event) => {
            event.stopPropagation();
            goWhy(mark.seq);
          }}
        >
          <title>{`${mark.verdict.level} by ${mark.verdict.rule}: ${visibleLine(mark.verdict.reason)} (${mark.verdict.response.kind})`}</title>
          <line y1={8} y2={height - y - 12} />
          <path d="M 0 -7 L 7 0 L 0 7 L -7 0 z" />
        </g>
      ))}
    </g>
  );
}

/** Marks on top of each other are one mark. */
function thinnedMarks<Each extends { readonly x: number }>(list: readonly Each[]): readonly Each[] {
  const kept: Each[] = [];
  for (const each of list) if (each.x - (kept.at(-1)?.x ?? -Infinity) >= 3) kept.push(each);
  return kept;
}

type Brush = {
  readonly from: number | null;
  readonly to: number;
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent<SVGSVGElement>) => void;
    readonly onPointerMove: (event: PointerEvent<SVGSVGElement>) => void;
    readonly onPointerUp: (event: PointerEvent<SVGSVGElement>) => void;
    readonly onPointerCancel: () => void;
  };
};

/** A click goes to the event that is there; a drag chooses a part to look at. */
function useBrush(view: View, gutter: number, { pick, choose }: Pick<StripProps, 'pick' | 'choose'>): Brush {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const begun = useRef<number | null>(null);
  const pixel = (event: PointerEvent<SVGSVGElement>): number =>
    event.clientX - event.currentTarget.getBoundingClientRect().left - gutter;
  return {
    from: drag?.from ?? null,
    to: drag?.to ?? 0,
    handlers: {
      onPointerDown: (event) => {
        if (event.button === 0 && pixel(event) >= 0) begun.current = pixel(event);
      },
      onPointerMove: (event) => {
        const from = begun.current;
        if (from === null || (drag === null && Math.abs(pixel(event) - from) < 5)) return;
        if (drag === null) event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from, to: Math.min(Math.max(pixel(event), 0), view.width) });
      },
      onPointerUp: (event) => {
        const from = begun.current;
        begun.current = null;
        setDrag(null);
        if (from === null) return;
        if (drag !== null) {
          choose({
            from: valueAt(Math.min(from, drag.to), view),
            to: valueAt(Math.max(from, drag.to), view),
          });
        } else if (!(event.target instanceof Element && event.target.closest('.strip-block, .strip-mark'))) {
          pick(valueAt(from, view));
        }
      },
      onPointerCancel: () => {
        begun.current = null;
        setDrag(null);
      },
    },
  };
}
