import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { formatLocalClock, formatCount, formatElapsedTime } from '../../app/format.ts';
import { useKeys } from '../../app/use-keys.ts';
import { useNow } from '../../app/use-now.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { ToggleGroup } from '../../app/widgets/toggle-group.tsx';
import { EmptyState } from '../../app/widgets/state-messages.tsx';
import { formatSpan, getSpanTimeline, type TimelineSpan, type SpanTimeline } from './timeline-model.ts';
import { findEventIndex, toAxisPosition, TimelineSeries } from './timeline-series.tsx';
import { clampRange, zoomRange, type TimelineAxis, type AxisRange, type AxisView } from './scale-model.ts';
import { TimelineStrip } from './timeline-strip.tsx';
import { TimelineOverview } from './timeline-overview.tsx';
import { useStateHistory } from './use-history.ts';
import './timeline.css';

const timelineGutter = 76;

/** Shows all spans on one axis: waits, model calls, concurrent tools and failures. */
export function TimelineView(props: SessionViewProps) {
  const { timeline, at, version, navigate } = props;
  const [axis, setAxis] = useState<TimelineAxis>('time');
  const [selectedRange, setRange] = useState<AxisRange | null>(null);
  const [hoveredSpan, setHoveredSpan] = useState<TimelineSpan | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const width = useElementWidth(box);
  const spanTimeline = getSpanTimeline(timeline);
  const now = useTimelineEnd(props, spanTimeline);
  const { history } = useStateHistory(timeline, version);
  const all = getFullRange(spanTimeline, axis, now);
  const range = selectedRange === null ? all : clampRange(selectedRange, all);
  const view: AxisView = { axis, ...range, width: Math.max(50, width - timelineGutter) };
  const index = timeline.indexOf(at);
  const zoom = useZoom({ range, all, axis, setRange, focus: toAxisPosition(timeline, index, view) });
  useWheelZoom(box, zoom, view);
  if (timeline.length === 0) {
    return <EmptyState title="No events yet">Events appear here as they happen.</EmptyState>;
  }
  const selectPosition = (value: number): void =>
    navigate({ seq: timeline.entry(Math.max(0, findEventIndex(timeline, value, view))).seq });
  return (
    <section className="timeline-view" aria-label="Timeline">
      <TimelineBar
        axis={axis}
        setAxis={(next) => {
          setAxis(next);
          setRange(null);
        }}
        zoom={zoom}
        isAll={selectedRange === null}
      />
      <p className="timeline-said">
        {hoveredSpan === null ? describeTimeline(spanTimeline, now) : formatSpan(hoveredSpan, now)}
      </p>
      <div
        ref={box}
        className="timeline-box"
        tabIndex={0}
        role="group"
        aria-label="Timeline. Arrow keys pan; plus and minus zoom."
        onKeyDown={(event) => handleArrowKeys(event, zoom)}
      >
        <TimelineOverview
          spanTimeline={spanTimeline}
          all={all}
          range={range}
          axis={axis}
          width={view.width}
          gutter={timelineGutter}
          now={now}
          selectRange={setRange}
        />
        <TimelineStrip
          spanTimeline={spanTimeline}
          view={view}
          now={now}
          at={at >= timeline.head && axis === 'time' ? now : toAxisPosition(timeline, index, view)}
          gutter={timelineGutter}
          hover={setHoveredSpan}
          selectPosition={selectPosition}
          goTo={(seq) => navigate({ seq })}
          selectRange={setRange}
          openExplanation={(seq) => navigate({ seq, view: 'why' })}
        />
        <TimelineSeries
          timeline={timeline}
          history={history}
          view={view}
          index={index}
          gutter={timelineGutter}
          onSelect={selectPosition}
        />
      </div>
      <SpanList
        spanTimeline={spanTimeline}
        range={range}
        axis={axis}
        now={now}
        goTo={(seq) => navigate({ seq })}
      />
    </section>
  );
}

/** Returns the end of open spans: the current time for a running session, else its last event. */
function useTimelineEnd(
  { detail, isFollowing, timeline }: SessionViewProps,
  spanTimeline: SpanTimeline,
): number {
  const isLive = isFollowing && detail.kind === 'stored' && detail.holder !== 'nobody';
  const { status } = timeline.latest.turn;
  const isRunning = isLive && status !== 'waitingForUser' && status !== 'halted' && status !== 'shuttingDown';
  const currentTime = useNow(isRunning ? 500 : 60_000);
  return isRunning ? Math.max(currentTime, spanTimeline.end.at) : spanTimeline.end.at;
}

function getFullRange({ start, end }: SpanTimeline, axis: TimelineAxis, now: number): AxisRange {
  if (axis === 'events') return { from: 0, to: Math.max(1, end.index + 1) };
  const from = start?.at ?? end.at;
  return { from, to: Math.max(from + 1, now) };
}

const zoomFactor = 0.6;

type TimelineBarProps = {
  readonly axis: TimelineAxis;
  readonly setAxis: (axis: TimelineAxis) => void;
  readonly zoom: ZoomControls;
  readonly isAll: boolean;
};

function TimelineBar({ axis, setAxis, zoom, isAll }: TimelineBarProps) {
  useKeys('Timeline', [
    { keys: '+', description: 'Zoom in', run: () => zoom.zoomBy(zoomFactor) },
    { keys: '-', description: 'Zoom out', run: () => zoom.zoomBy(1 / zoomFactor) },
    { keys: '=', description: 'Show all', run: zoom.showAll },
  ]);
  return (
    <div className="timeline-bar">
      <ToggleGroup label="Axis" options={['time', 'events']} selected={axis} onSelect={setAxis} />
      <div className="timeline-zoom" role="group" aria-label="Zoom">
        <button type="button" className="small" onClick={() => zoom.zoomBy(zoomFactor)}>
          Zoom in
        </button>
        <button type="button" className="small" onClick={() => zoom.zoomBy(1 / zoomFactor)}>
          Zoom out
        </button>
        <button type="button" className="small" disabled={isAll} onClick={zoom.showAll}>
          Show all
        </button>
      </div>
      <TimelineLegend />
    </div>
  );
}

function handleArrowKeys(event: KeyboardEvent, zoom: ZoomControls): void {
  const by = event.key === 'ArrowLeft' ? -0.2 : event.key === 'ArrowRight' ? 0.2 : 0;
  if (by === 0) return;
  event.preventDefault();
  zoom.pan(by);
}

type ZoomControls = {
  readonly zoomBy: (factor: number, around?: number) => void;
  readonly pan: (share: number) => void;
  readonly showAll: () => void;
};

type ZoomOptions = {
  readonly range: AxisRange;
  readonly all: AxisRange;
  readonly axis: TimelineAxis;
  readonly setRange: (range: AxisRange | null) => void;
  /** Axis position of the selected event, which stays visible. */
  readonly focus: number;
};

function useZoom({ range, all, axis, setRange, focus }: ZoomOptions): ZoomControls {
  const minLength = axis === 'time' ? 20 : 4;
  return {
    zoomBy: (factor, around = focus) => {
      const inside = Math.min(Math.max(around, range.from), range.to);
      const next = zoomRange(range, inside, factor, {
        all,
        minLength: Math.min(minLength, all.to - all.from),
      });
      setRange(next.to - next.from >= (all.to - all.from) * 0.999 ? null : next);
    },
    pan: (share) => {
      if (range.to - range.from >= all.to - all.from) return;
      const by = (range.to - range.from) * share;
      setRange(clampRange({ from: range.from + by, to: range.to + by }, all));
    },
    showAll: () => setRange(null),
  };
}

/** The wheel zooms at the pointer; horizontal scrolling pans. */
function useWheelZoom(box: RefObject<HTMLDivElement | null>, zoom: ZoomControls, view: AxisView): void {
  const latest = useRef({ zoom, view });
  latest.current = { zoom, view };
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent): void => {
      const { zoom: controls, view: axisView } = latest.current;
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
        event.preventDefault();
        controls.pan(sideways / 800);
        return;
      }
      // Zoom only with a modifier key, so that the page can still be scrolled over the timeline.
      if (!event.ctrlKey && !event.altKey && !event.metaKey) return;
      event.preventDefault();
      const x = event.clientX - element.getBoundingClientRect().left - timelineGutter;
      controls.zoomBy(
        Math.exp(event.deltaY / 300),
        axisView.from + (x / axisView.width) * (axisView.to - axisView.from),
      );
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [box, view.width]);
}

function useElementWidth(box: RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(900);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  });
  return width;
}

function describeTimeline({ rows, end, start }: SpanTimeline, now: number): string {
  const open = rows
    .flatMap(({ spans }) => spans.slice(-1))
    .filter(({ to, kind }) => to === null && kind !== 'user');
  if (open.length > 0) return `Running: ${open.map((span) => formatSpan(span, now)).join(' · ')}`;
  return `${formatCount(end.index + 1, 'event')} in ${formatElapsedTime(end.at - (start?.at ?? end.at))}, from ${formatLocalClock(start?.at ?? end.at)}`;
}

const legendItems = [
  ['model', 'model'],
  ['tools', 'tools'],
  ['user', 'people'],
  ['hook', 'hooks'],
  ['recovery', 'retries'],
  ['paging', 'paging'],
  ['governor', 'verdicts'],
] as const;

function TimelineLegend() {
  return (
    <ul className="timeline-legend" aria-label="Legend">
      {legendItems.map(([tone, name]) => (
        <li key={tone} className={`tone-${tone}`}>
          <span className="swatch" aria-hidden="true" />
          {name}
        </li>
      ))}
      <li>
        <span className="swatch failed" aria-hidden="true" />
        failed
      </li>
    </ul>
  );
}

type SpanListProps = {
  readonly spanTimeline: SpanTimeline;
  readonly range: AxisRange;
  readonly axis: TimelineAxis;
  readonly now: number;
  readonly goTo: (seq: number) => void;
};

const listedSpansMax = 200;

/** The spans as a list, for users who cannot point at the timeline. */
function SpanList({ spanTimeline, range, axis, now, goTo }: SpanListProps) {
  const [isOpen, setOpen] = useState(false);
  const spans = useMemo(() => {
    if (!isOpen) return [];
    const value = (moment: TimelineSpan['from']): number => (axis === 'time' ? moment.at : moment.index);
    return spanTimeline.rows
      .flatMap((row) =>
        row.spans.filter(
          ({ from, to }) => value(from) <= range.to && (to === null || value(to) >= range.from),
        ),
      )
      .toSorted((one, other) => one.from.index - other.from.index);
  }, [isOpen, spanTimeline, spanTimeline.end.index, range.from, range.to, axis]);
  return (
    <details className="timeline-list" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Visible spans as text</summary>
      <ol>
        {spans.slice(0, listedSpansMax).map((span) => (
          <li key={`${span.from.seq} ${span.kind} ${span.label}`}>
            <button type="button" className="link" onClick={() => goTo(span.from.seq)}>
              {formatSpan(span, now)}
            </button>
          </li>
        ))}
      </ol>
      {spans.length > listedSpansMax && <p>{spans.length - listedSpansMax} more: zoom in to see them.</p>}
    </details>
  );
}
