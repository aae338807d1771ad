import { lazy, Suspense, useMemo } from 'react';
import { amount } from '../../app/format.ts';
import type { Track } from '../../app/track.ts';
import { percent } from '../governor/governor-model.ts';
import { fullShare } from '../memory/memory-model.ts';
import { thinned, valueOn, type Course, type History } from './history-model.ts';
import type { View } from './scale-model.ts';

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));

type SeriesProps = {
  readonly track: Track;
  readonly history: History;
  readonly view: View;
  /** The place of the event that is looked at. */
  readonly place: number;
  readonly gutter: number;
  readonly pick: (x: number) => void;
};

const pointsMax = 1_200;

type Shown = {
  readonly name: string;
  readonly course: Course;
  readonly colour: string;
  readonly as: (value: number) => string;
  readonly limit?: number;
};

/** How much was used, how full memory was and how near a rule was, under the same axis as everything else. */
export function Series(props: SeriesProps) {
  const { history } = props;
  const all: readonly Shown[] = [
    { name: 'tokens', course: history.tokens, colour: '--series-1', as: amount },
    { name: 'memory', course: history.memory, colour: '--series-2', as: percent, limit: 1 },
    { name: 'window', course: history.window, colour: '--series-5', as: percent, limit: fullShare },
    { name: 'nearest rule', course: history.nearest, colour: '--series-4', as: percent, limit: 1 },
  ];
  const shown = all.filter(({ course }) => course.value.length > 1);
  return (
    <div className="series">
      {shown.map((each) => (
        <OneSeries key={each.name} {...props} shown={each} />
      ))}
    </div>
  );
}

function OneSeries({ track, view, place, gutter, pick, shown }: SeriesProps & { readonly shown: Shown }) {
  const { name, course, colour, as, limit } = shown;
  const { axis, from, to, width } = view;
  const now = as(valueOn(course, place));
  // The course is one object that grows; its length tells when it has.
  const { points, most } = useMemo(
    () => ({ points: pointsOf(track, course, { axis, from, to, width }), most: highest(course) }),
    [track, track.length, course, course.value.length, axis, from, to, width],
  );
  return (
    <figure>
      <figcaption>
        {name} <strong>{now}</strong>
      </figcaption>
      <Suspense fallback={<div className="plot-wait" />}>
        <Plot
          label={`${name}: ${now} at the event looked at, at most ${as(most)}`}
          lines={[{ label: name, colour, ...points }]}
          from={from}
          to={to}
          height={72}
          gutter={gutter}
          as={as}
          top={1}
          cursor={placed(track, place, view)}
          pick={pick}
          {...(limit !== undefined && { limit })}
        />
      </Suspense>
    </figure>
  );
}

/** A course as points in the unit of the axis, from edge to edge of what is in sight. */
export function pointsOf(
  track: Track,
  course: Course,
  view: View,
): { readonly x: readonly number[]; readonly y: readonly number[] } {
  const [first, last] = [placeAt(track, view.from, view), placeAt(track, view.to, view)];
  const kept = thinned(course, first, last, pointsMax);
  // What came last holds on to the edge, unless nothing has come after it yet.
  const isLast = last >= track.length - 1;
  const edge = isLast ? Math.min(view.to, placed(track, track.length - 1, view)) : view.to;
  return {
    x: [view.from, ...kept.index.map((index) => placed(track, index, view)), edge],
    y: [valueOn(course, first - 1), ...kept.value, valueOn(course, last)],
  };
}

/** Where on the axis an event stands. */
export function placed(track: Track, index: number, { axis }: View): number {
  if (axis === 'events') return index;
  if (track.length === 0) return 0;
  return track.entry(Math.min(Math.max(index, 0), track.length - 1)).event.at;
}

/** The last event at or before a place of the axis; -1 where there is none. */
export function placeAt(track: Track, value: number, { axis }: View): number {
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

function highest({ value }: Course): number {
  let max = 0;
  for (const each of value) max = Math.max(max, each);
  return max;
}
