import { lazy, Suspense, useMemo } from 'react';
import { formatAmount, formatMeterPercent } from '../../app/format.ts';
import type { ReplayedTimeline } from '../../app/replayed-timeline.ts';

import {
  downsampleSeries,
  fullWindowShare,
  getSeriesValue,
  type ValueSeries,
  type StateHistory,
} from './history-model.ts';
import type { AxisView } from './scale-model.ts';

const LazySeriesPlot = lazy(async () => ({ default: (await import('./series-plot.tsx')).SeriesPlot }));

type TimelineSeriesProps = {
  readonly timeline: ReplayedTimeline;
  readonly history: StateHistory;
  readonly view: AxisView;
  /** Index of the selected event. */
  readonly index: number;
  readonly gutter: number;
  readonly onSelect: (x: number) => void;
};

const seriesPointsMax = 1_200;

type SeriesDefinition = {
  readonly name: string;
  readonly series: ValueSeries;
  readonly color: string;
  readonly formatValue: (value: number) => string;
  readonly limit?: number;
};

/** Plots token usage, memory usage, window usage and rule proximity on the timeline's axis. */
export function TimelineSeries(props: TimelineSeriesProps) {
  const { history } = props;
  const all: readonly SeriesDefinition[] = [
    { name: 'tokens', series: history.tokens, color: '--series-1', formatValue: formatAmount },
    {
      name: 'memory',
      series: history.memory,
      color: '--series-2',
      formatValue: formatMeterPercent,
      limit: 1,
    },
    {
      name: 'window',
      series: history.window,
      color: '--series-5',
      formatValue: formatMeterPercent,
      limit: fullWindowShare,
    },
    {
      name: 'nearest rule',
      series: history.nearest,
      color: '--series-4',
      formatValue: formatMeterPercent,
      limit: 1,
    },
  ];
  const shown = all.filter(({ series }) => series.value.length > 1);
  return (
    <div className="series">
      {shown.map((each) => (
        <SeriesFigure key={each.name} {...props} shown={each} />
      ))}
    </div>
  );
}

function SeriesFigure({
  timeline,
  view,
  index,
  gutter,
  onSelect,
  shown,
}: TimelineSeriesProps & { readonly shown: SeriesDefinition }) {
  const { name, series, color, formatValue, limit } = shown;
  const { axis, from, to, width } = view;
  const currentValue = formatValue(getSeriesValue(series, index));
  // The series is a mutable object; its length changes when it grows.
  const { points, peak } = useMemo(
    () => ({
      points: toPlotPoints(timeline, series, { axis, from, to, width }),
      peak: findHighestValue(series),
    }),
    [timeline, timeline.length, series, series.value.length, axis, from, to, width],
  );
  return (
    <figure>
      <figcaption>
        {name} <strong>{currentValue}</strong>
      </figcaption>
      <Suspense fallback={<div className="plot-wait" />}>
        <LazySeriesPlot
          label={`${name}: ${currentValue} at the selected event, at most ${formatValue(peak)}`}
          lines={[{ label: name, color, ...points }]}
          from={from}
          to={to}
          height={72}
          gutter={gutter}
          formatValue={formatValue}
          topMin={1}
          cursor={toAxisPosition(timeline, index, view)}
          onSelect={onSelect}
          {...(limit !== undefined && { limit })}
        />
      </Suspense>
    </figure>
  );
}

/** Converts a series to points in axis units that cover the visible range. */
export function toPlotPoints(
  timeline: ReplayedTimeline,
  series: ValueSeries,
  view: AxisView,
): { readonly x: readonly number[]; readonly y: readonly number[] } {
  const [first, last] = [findEventIndex(timeline, view.from, view), findEventIndex(timeline, view.to, view)];
  const sampled = downsampleSeries(series, first, last, seriesPointsMax);
  // Extend the last value to the right edge, but not beyond the last event.
  const isLast = last >= timeline.length - 1;
  const edge = isLast ? Math.min(view.to, toAxisPosition(timeline, timeline.length - 1, view)) : view.to;
  return {
    x: [view.from, ...sampled.index.map((index) => toAxisPosition(timeline, index, view)), edge],
    y: [getSeriesValue(series, first - 1), ...sampled.value, getSeriesValue(series, last)],
  };
}

/** Returns the position of an event on the axis. */
export function toAxisPosition(timeline: ReplayedTimeline, index: number, { axis }: AxisView): number {
  if (axis === 'events') return index;
  if (timeline.length === 0) return 0;
  return timeline.entry(Math.min(Math.max(index, 0), timeline.length - 1)).event.at;
}

/** Returns the index of the last event at or before a position on the axis, or -1 if there is none. */
export function findEventIndex(timeline: ReplayedTimeline, value: number, { axis }: AxisView): number {
  if (axis === 'events') return Math.min(Math.floor(value), timeline.length - 1);
  let low = 0;
  let high = timeline.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeline.entry(middle).event.at <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function findHighestValue({ value }: ValueSeries): number {
  let max = 0;
  for (const each of value) max = Math.max(max, each);
  return max;
}
