import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { clockTime, counted, duration } from '../../app/format.ts';
import { useKeys } from '../../app/use-keys.ts';
import { useNow } from '../../app/use-now.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { Either } from '../../app/widgets/either.tsx';
import { Empty } from '../../app/widgets/notes.tsx';
import { spanText } from './span-text.ts';
import { placeAt, placed, Series } from './series.tsx';
import { within, zoomed, type Axis, type Range, type View } from './scale-model.ts';
import { Strip } from './strip.tsx';
import { Overview } from './overview.tsx';
import { timelineOf, type Span, type Timeline } from './timeline-model.ts';
import { useHistory } from './use-history.ts';
import './timeline.css';

const gutter = 76;

/** Everything that took time, on one axis: who was waited for, what ran beside what, and what went wrong when. */
export function TimelineView(props: SessionViewProps) {
  const { track, at, version, go } = props;
  const [axis, setAxis] = useState<Axis>('time');
  const [chosen, setChosen] = useState<Range | null>(null);
  const [pointed, setPointed] = useState<Span | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const timeline = timelineOf(track);
  const now = useEnd(props, timeline);
  const { history } = useHistory(track, version);
  const all = rangeOf(timeline, axis, now);
  const range = chosen === null ? all : within(chosen, all);
  const view: View = { axis, ...range, width: Math.max(50, width - gutter) };
  const place = track.indexOf(at);
  const zoom = useZoom({ range, all, axis, setChosen, looksAt: placed(track, place, view) });
  useWheel(box, zoom, view);
  if (track.length === 0) {
    return <Empty title="Nothing has happened yet">As soon as something does, it is drawn here.</Empty>;
  }
  const pick = (value: number): void =>
    go({ seq: track.entry(Math.max(0, placeAt(track, value, view))).seq });
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
      <p className="timeline-said">{pointed === null ? aboutNow(timeline, now) : spanText(pointed, now)}</p>
      <div
        ref={box}
        className="timeline-box"
        tabIndex={0}
        role="group"
        aria-label="What took time. Arrow keys move along it; plus and minus zoom."
        onKeyDown={(event) => moveAlong(event, zoom)}
      >
        <Overview
          timeline={timeline}
          all={all}
          range={range}
          axis={axis}
          width={view.width}
          gutter={gutter}
          now={now}
          choose={setChosen}
        />
        <Strip
          timeline={timeline}
          view={view}
          now={now}
          at={at >= track.head && axis === 'time' ? now : placed(track, place, view)}
          gutter={gutter}
          point={setPointed}
          pick={pick}
          goTo={(seq) => go({ seq })}
          choose={setChosen}
          goWhy={(seq) => go({ seq, view: 'why' })}
        />
        <Series track={track} history={history} view={view} place={place} gutter={gutter} pick={pick} />
      </div>
      <SpanList timeline={timeline} range={range} axis={axis} now={now} goTo={(seq) => go({ seq })} />
    </section>
  );
}

/** Where what is not over has got to: the present for a session that somebody runs, else its last event. */
function useEnd({ detail, isFollowing, track }: SessionViewProps, timeline: Timeline): number {
  const isLive = isFollowing && detail.kind === 'kept' && detail.holder !== 'nobody';
  const { status } = track.now.turn;
  const isAtWork = isLive && status !== 'waitingForUser' && status !== 'halted' && status !== 'shuttingDown';
  const present = useNow(isAtWork ? 500 : 60_000);
  return isAtWork ? Math.max(present, timeline.end.at) : timeline.end.at;
}

function rangeOf({ begin, end }: Timeline, axis: Axis, now: number): Range {
  if (axis === 'events') return { from: 0, to: Math.max(1, end.index + 1) };
  const from = begin?.at ?? end.at;
  return { from, to: Math.max(from + 1, now) };
}

const closer = 0.6;

type TimelineBarProps = {
  readonly axis: Axis;
  readonly setAxis: (axis: Axis) => void;
  readonly zoom: Zoom;
  readonly isAll: boolean;
};

function TimelineBar({ axis, setAxis, zoom, isAll }: TimelineBarProps) {
  useKeys('Timeline', [
    { keys: '+', does: 'Zoom in', run: () => zoom.by(closer) },
    { keys: '-', does: 'Zoom out', run: () => zoom.by(1 / closer) },
    { keys: '=', does: 'Show all of it', run: zoom.out },
  ]);
  return (
    <div className="timeline-bar">
      <Either label="What the axis measures" of={['time', 'events']} chosen={axis} choose={setAxis} />
      <div className="timeline-zoom" role="group" aria-label="Zoom">
        <button type="button" className="small" onClick={() => zoom.by(closer)}>
          Zoom in
        </button>
        <button type="button" className="small" onClick={() => zoom.by(1 / closer)}>
          Zoom out
        </button>
        <button type="button" className="small" disabled={isAll} onClick={zoom.out}>
          All of it
        </button>
      </div>
      <Legend />
    </div>
  );
}

function moveAlong(event: KeyboardEvent, zoom: Zoom): void {
  const by = event.key === 'ArrowLeft' ? -0.2 : event.key === 'ArrowRight' ? 0.2 : 0;
  if (by === 0) return;
  event.preventDefault();
  zoom.move(by);
}

type Zoom = {
  readonly by: (factor: number, around?: number) => void;
  readonly move: (share: number) => void;
  readonly out: () => void;
};

type ZoomProps = {
  readonly range: Range;
  readonly all: Range;
  readonly axis: Axis;
  readonly setChosen: (range: Range | null) => void;
  /** Where the event stands that is looked at: it stays in sight. */
  readonly looksAt: number;
};

function useZoom({ range, all, axis, setChosen, looksAt }: ZoomProps): Zoom {
  const least = axis === 'time' ? 20 : 4;
  return {
    by: (factor, around = looksAt) => {
      const inside = Math.min(Math.max(around, range.from), range.to);
      const next = zoomed(range, inside, factor, { all, least: Math.min(least, all.to - all.from) });
      setChosen(next.to - next.from >= (all.to - all.from) * 0.999 ? null : next);
    },
    move: (share) => {
      if (range.to - range.from >= all.to - all.from) return;
      const by = (range.to - range.from) * share;
      setChosen(within({ from: range.from + by, to: range.to + by }, all));
    },
    out: () => setChosen(null),
  };
}

/** The wheel zooms where the pointer is; sideways it moves along. */
function useWheel(box: RefObject<HTMLDivElement | null>, zoom: Zoom, view: View): void {
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
      // A page that cannot be scrolled past a timeline is worse than one that cannot be zoomed without a key.
      if (!event.ctrlKey && !event.altKey && !event.metaKey) return;
      event.preventDefault();
      const x = event.clientX - element.getBoundingClientRect().left - gutter;
      now.by(Math.exp(event.deltaY / 300), seen.from + (x / seen.width) * (seen.to - seen.from));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [box, view.width]);
}

function useWidth(box: RefObject<HTMLDivElement | null>): number {
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

function aboutNow({ rows, end, begin }: Timeline, now: number): string {
  const open = rows
    .flatMap(({ spans }) => spans.slice(-1))
    .filter(({ to, kind }) => to === null && kind !== 'user');
  if (open.length > 0) return `Under way: ${open.map((span) => spanText(span, now)).join(' · ')}`;
  return `${counted(end.index + 1, 'event')} in ${duration(end.at - (begin?.at ?? end.at))}, from ${clockTime(begin?.at ?? end.at)}`;
}

const kinds = [
  ['model', 'model'],
  ['tools', 'tools'],
  ['user', 'people'],
  ['hook', 'hooks'],
  ['recovery', 'retries'],
  ['paging', 'room made'],
  ['governor', 'verdicts'],
] as const;

function Legend() {
  return (
    <ul className="timeline-legend" aria-label="Colours">
      {kinds.map(([tone, name]) => (
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
  readonly timeline: Timeline;
  readonly range: Range;
  readonly axis: Axis;
  readonly now: number;
  readonly goTo: (seq: number) => void;
};

const listedMax = 200;

/** The same in words, for those who cannot point at it. */
function SpanList({ timeline, range, axis, now, goTo }: SpanListProps) {
  const [isOpen, setOpen] = useState(false);
  const spans = useMemo(() => {
    if (!isOpen) return [];
    const value = (moment: Span['from']): number => (axis === 'time' ? moment.at : moment.index);
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
        {spans.slice(0, listedMax).map((span) => (
          <li key={`${span.from.seq} ${span.kind} ${span.label}`}>
            <button type="button" className="link" onClick={() => goTo(span.from.seq)}>
              {spanText(span, now)}
            </button>
          </li>
        ))}
      </ol>
      {spans.length > listedMax && <p>{spans.length - listedMax} more: zoom in to see them.</p>}
    </details>
  );
}
