import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { formatLocalClock, formatCount, formatElapsedTime } from '../../app/format.ts';
import { useKeys } from '../../app/use-keys.ts';
import { useNow } from '../../app/use-now.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { ToggleGroup } from '../../app/widgets/toggle-group.tsx';
import { EmptyState } from '../../app/widgets/state-messages.tsx';
import { formatSpan } from './format-span.ts';
import { findEventIndex, toAxisPosition, TimelineSeries } from './timeline-series.tsx';
import { clampRange, zoomRange, type TimelineAxis, type AxisRange, type AxisView } from './scale-model.ts';
import { TimelineStrip } from './timeline-strip.tsx';
import { TimelineOverview } from './timeline-overview.tsx';
import { getSpanTimeline, type TimelineSpan, type SpanTimeline } from './timeline-model.ts';
import { useStateHistory } from './use-history.ts';
import './timeline.css';

const timelineGutter = 76;

/** Shows all spans on one axis: waits, model calls, concurrent tools and failures. */
export function TimelineView(props: SessionViewProps) {
  const { track, at, version, go } = props;
  const [axis, setAxis] = useState<TimelineAxis>('time');
  const [chosen, setChosen] = useState<AxisRange | null>(null);
  const [pointed, setPointed] = useState<TimelineSpan | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const width = useElementWidth(box);
  const timeline = getSpanTimeline(track);
  const now = useTimelineEnd(props, timeline);
  const { history } = useStateHistory(track, version);
  const all = getFullRange(timeline, axis, now);
  const range = chosen === null ? all : clampRange(chosen, all);
  const view: AxisView = { axis, ...range, width: Math.max(50, width - timelineGutter) };
  const place = track.indexOf(at);
  const zoom = useZoom({ range, all, axis, setChosen, looksAt: toAxisPosition(track, place, view) });
  useWheelZoom(box, zoom, view);
  if (track.length === 0) {
    return (
      <EmptyState title="Nothing has happened yet">As soon as something does, it is drawn here.</EmptyState>
    );
  }
  const pick = (value: number): void =>
    go({ seq: track.entry(Math.max(0, findEventIndex(track, value, view))).seq });
  return (
    <section className="timeline-view" aria-label="Timeline">
      <TimelineBar
        axis={axis}
        setAxis={(next) => {
          setAxis(next);
          setChosen(null);
        }}
        zoom={zoom}
        isAll={chosen === null}
      />
      <p className="timeline-said">
        {pointed === null ? describeTimeline(timeline, now) : formatSpan(pointed, now)}
      </p>
      <div
        ref={box}
        className="timeline-box"
        tabIndex={0}
        role="group"
        aria-label="What took time. Arrow keys move along it; plus and minus zoom."
        onKeyDown={(event) => handleArrowKeys(event, zoom)}
      >
        <TimelineOverview
          timeline={timeline}
          all={all}
          range={range}
          axis={axis}
          width={view.width}
          gutter={timelineGutter}
          now={now}
          choose={setChosen}
        />
        <TimelineStrip
          timeline={timeline}
          view={view}
          now={now}
          at={at >= track.head && axis === 'time' ? now : toAxisPosition(track, place, view)}
          gutter={timelineGutter}
          point={setPointed}
          pick={pick}
          goTo={(seq) => go({ seq })}
          choose={setChosen}
          goWhy={(seq) => go({ seq, view: 'why' })}
        />
        <TimelineSeries
          track={track}
          history={history}
          view={view}
          place={place}
          gutter={timelineGutter}
          pick={pick}
        />
      </div>
      <SpanList timeline={timeline} range={range} axis={axis} now={now} goTo={(seq) => go({ seq })} />
    </section>
  );
}

/** Returns the end of open spans: the current time for a running session, else its last event. */
function useTimelineEnd({ detail, isFollowing, track }: SessionViewProps, timeline: SpanTimeline): number {
  const isLive = isFollowing && detail.kind === 'kept' && detail.holder !== 'nobody';
  const { status } = track.now.turn;
  const isAtWork = isLive && status !== 'waitingForUser' && status !== 'halted' && status !== 'shuttingDown';
  const present = useNow(isAtWork ? 500 : 60_000);
  return isAtWork ? Math.max(present, timeline.end.at) : timeline.end.at;
}

function getFullRange({ begin, end }: SpanTimeline, axis: TimelineAxis, now: number): AxisRange {
  if (axis === 'events') return { from: 0, to: Math.max(1, end.index + 1) };
  const from = begin?.at ?? end.at;
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
    { keys: '+', does: 'Zoom in', run: () => zoom.by(zoomFactor) },
    { keys: '-', does: 'Zoom out', run: () => zoom.by(1 / zoomFactor) },
    { keys: '=', does: 'Show all of it', run: zoom.out },
  ]);
  return (
    <div className="timeline-bar">
      <ToggleGroup label="What the axis measures" of={['time', 'events']} chosen={axis} choose={setAxis} />
      <div className="timeline-zoom" role="group" aria-label="Zoom">
        <button type="button" className="small" onClick={() => zoom.by(zoomFactor)}>
          Zoom in
        </button>
        <button type="button" className="small" onClick={() => zoom.by(1 / zoomFactor)}>
          Zoom out
        </button>
        <button type="button" className="small" disabled={isAll} onClick={zoom.out}>
          All of it
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
  zoom.move(by);
}

type ZoomControls = {
  readonly by: (factor: number, around?: number) => void;
  readonly move: (share: number) => void;
  readonly out: () => void;
};

type ZoomOptions = {
  readonly range: AxisRange;
  readonly all: AxisRange;
  readonly axis: TimelineAxis;
  readonly setChosen: (range: AxisRange | null) => void;
  /** Axis position of the selected event, which stays visible. */
  readonly looksAt: number;
};

function useZoom({ range, all, axis, setChosen, looksAt }: ZoomOptions): ZoomControls {
  const least = axis === 'time' ? 20 : 4;
  return {
    by: (factor, around = looksAt) => {
      const inside = Math.min(Math.max(around, range.from), range.to);
      const next = zoomRange(range, inside, factor, { all, least: Math.min(least, all.to - all.from) });
      setChosen(next.to - next.from >= (all.to - all.from) * 0.999 ? null : next);
    },
    move: (share) => {
      if (range.to - range.from >= all.to - all.from) return;
      const by = (range.to - range.from) * share;
      setChosen(clampRange({ from: range.from + by, to: range.to + by }, all));
    },
    out: () => setChosen(null),
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
      const { zoom: now, view: seen } = latest.current;
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
        event.preventDefault();
        now.move(sideways / 800);
        return;
      }
      // Zoom only with a modifier key, so that the page can still be scrolled over the timeline.
      if (!event.ctrlKey && !event.altKey && !event.metaKey) return;
      event.preventDefault();
      const x = event.clientX - element.getBoundingClientRect().left - timelineGutter;
      now.by(Math.exp(event.deltaY / 300), seen.from + (x / seen.width) * (seen.to - seen.from));
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

function describeTimeline({ rows, end, begin }: SpanTimeline, now: number): string {
  const open = rows
    .flatMap(({ spans }) => spans.slice(-1))
    .filter(({ to, kind }) => to === null && kind !== 'user');
  if (open.length > 0) return `Under way: ${open.map((span) => formatSpan(span, now)).join(' · ')}`;
  return `${formatCount(end.index + 1, 'event')} in ${formatElapsedTime(end.at - (begin?.at ?? end.at))}, from ${formatLocalClock(begin?.at ?? end.at)}`;
}

const legendItems = [
  ['model', 'model'],
  ['tools', 'tools'],
  ['user', 'people'],
  ['hook', 'hooks'],
  ['recovery', 'retries'],
  ['paging', 'room made'],
  ['governor', 'verdicts'],
] as const;

function TimelineLegend() {
  return (
    <ul className="timeline-legend" aria-label="Colours">
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
  readonly timeline: SpanTimeline;
  readonly range: AxisRange;
  readonly axis: TimelineAxis;
  readonly now: number;
  readonly goTo: (seq: number) => void;
};

const listedSpansMax = 200;

/** The spans as a list, for users who cannot point at the timeline. */
function SpanList({ timeline, range, axis, now, goTo }: SpanListProps) {
  const [isOpen, setOpen] = useState(false);
  const spans = useMemo(() => {
    if (!isOpen) return [];
    const value = (moment: TimelineSpan['from']): number => (axis === 'time' ? moment.at : moment.index);
    return timeline.rows
      .flatMap((row) =>
        row.spans.filter(
          ({ from, to }) => value(from) <= range.to && (to === null || value(to) >= range.from),
        ),
      )
      .toSorted((one, other) => one.from.index - other.from.index);
  }, [isOpen, timeline, timeline.end.index, range.from, range.to, axis]);
  return (
    <details className="timeline-list" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What is in sight, in words</summary>
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
