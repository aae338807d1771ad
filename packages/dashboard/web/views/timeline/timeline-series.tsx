import { lazy, Suspense, useMemo } from 'react';
import { formatAmount } from '../../app/format.ts';
import type { ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { formatMeterPercent } from '../governor/governor-model.ts';
import { fullWindowShare } from '../memory/memory-model.ts';
import { downsampleSeries, getSeriesValue, type ValueSeries, type StateHistory } from './history-model.ts';
import type { AxisView } from './scale-model.ts';

const LazySeriesPlot = lazy(async () => ({ default: (await import('./series-plot.tsx')).SeriesPlot }));

type TimelineSeriesProps = {
  readonly track: ReplayedTimeline;
  readonly history: StateHistory;
  readonly view: AxisView;
  /** Index of the selected event. */
  readonly place: number;
  readonly gutter: number;
  readonly pick: (x: number) => void;
};

const seriesPointsMax = 1_200;

type SeriesDefinition = {
  readonly name: string;
  readonly course: ValueSeries;
  readonly colour: string;
  readonly as: (value: number) => string;
  readonly limit?: number;
};

/** Plots token usage, memory usage, window usage and rule proximity on the timeline's axis. */
export function TimelineSeries(props: TimelineSeriesProps) {
  const { history } = props;
  const all: readonly SeriesDefinition[] = [
    { name: 'tokens', course: history.tokens, colour: '--series-1', as: formatAmount },
    { name: 'memory', course: history.memory, colour: '--series-2', as: formatMeterPercent, limit: 1 },
    {
      name: 'window',
      course: history.window,
      colour: '--series-5',
      as: formatMeterPercent,
      limit: fullWindowShare,
    },
    { name: 'nearest rule', course: history.nearest, colour: '--series-4', as: formatMeterPercent, limit: 1 },
  ];
  const shown = all.filter(({ course }) => course.value.length > 1);
  return (
    <div className="series">
      {shown.map((each) => (
        <SeriesFigure key={each.name} {...props} shown={each} />
      ))}
    </div>
  );
}

function SeriesFigure({
  track,
  view,
  place,
  gutter,
  pick,
  shown,
}: TimelineSeriesProps & { readonly shown: SeriesDefinition }) {
  const { name, course, colour, as, limit } = shown;
  const { axis, from, to, width } = view;
  const now = as(getSeriesValue(course, place));
  // The series is a mutable object; its length changes when it grows.
  const { points, most } = useMemo(
    () => ({
      points: toPlotPoints(track, course, { axis, from, to, width }),
      most: findHighestValue(course),
    }),
    [track, track.length, course, course.value.length, axis, from, to, width],
  );
  return (
    <figure>
      <figcaption>
        {name} <strong>{now}</strong>
      </figcaption>
      <Suspense fallback={<div className="plot-wait" />}>
        <LazySeriesPlot
          label={`${name}: ${now} at the event looked at, at most ${as(most)}`}
          lines={[{ label: name, colour, ...points }]}
          from={from}
          to={to}
          height={72}
          gutter={gutter}
          as={as}
          top={1}
          cursor={toAxisPosition(track, place, view)}
          pick={pick}
          {...(limit !== undefined && { limit })}
        />
      </Suspense>
    </figure>
  );
}

/** Converts a series to points in axis units that cover the visible range. */
export function toPlotPoints(
  track: ReplayedTimeline,
  course: ValueSeries,
  view: AxisView,
): { readonly x: readonly number[]; readonly y: readonly number[] } {
  const [first, last] = [findEventIndex(track, view.from, view), findEventIndex(track, view.to, view)];
  const kept = downsampleSeries(course, first, last, seriesPointsMax);
  // Extend the last value to the right edge, but not beyond the last event.
  const isLast = last >= track.length - 1;
  const edge = isLast ? Math.min(view.to, toAxisPosition(track, track.length - 1, view)) : view.to;
  return {
    x: [view.from, ...kept.index.map((index) => toAxisPosition(track, index, view)), edge],
    y: [getSeriesValue(course, first - 1), ...kept.value, getSeriesValue(course, last)],
  };
}

/** Returns the position of an event on the axis. */
export function toAxisPosition(track: ReplayedTimeline, index: number, { axis }: AxisView): number {
  if (axis === 'events') return index;
  if (track.length === 0) return 0;
  return track.entry(Math.min(Math.max(index, 0), track.length - 1)).event.at;
}

/** Returns the index of the last event at or before a position on the axis, or -1 if there is none. */
export function findEventIndex(track: ReplayedTimeline, value: number, { axis }: AxisView): number {
  if (axis === 'events') return Math.min(Math.floor(value), track.length - 1);
  let low = 0;
  let high = track.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track.entry(middle).event.at <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function findHighestValue({ value }: ValueSeries): number {
  let max = 0;
  for (const each of value) max = Math.max(max, each);
  return max;
}
