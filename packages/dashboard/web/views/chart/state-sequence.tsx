import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { formatLocalClock, formatElapsedTime } from '../../app/format.ts';
import type { VisitRecord, VisitList } from './chart-trail.ts';

type StateSequenceProps = {
  readonly visits: VisitList;
  /** The states that have a row, from top to bottom. */
  readonly states: readonly string[];
  readonly getTone: (state: string) => string;
  readonly goTo: (seq: number) => void;
};

const visitWidth = 30;
const stateRowHeight = 34;
const stateLabelWidth = 166;

/** Shows all visits from left to right, with one row per state. Only the visible part is rendered. */
export function StateSequence({ visits, states, getTone, goTo }: StateSequenceProps) {
  const box = useRef<HTMLDivElement>(null);
  const { scrollWindow, measure } = useScrollWindow(box, visits.length);
  const rows = new Map(states.map((state, index) => [state, index]));
  const first = Math.max(0, Math.floor((scrollWindow.left - stateLabelWidth) / visitWidth) - 4);
  const last = Math.min(
    visits.length - 1,
    Math.ceil((scrollWindow.left + scrollWindow.width) / visitWidth) + 4,
  );
  const visible = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    visits.visit(first + index),
  );
  return (
    <div
      ref={box}
      className="ran"
      role="group"
      tabIndex={0}
      aria-label={`${visits.length} visits in order. The left arrow key selects the previous visit.`}
      onScroll={measure}
      onKeyDown={(event) => goToPreviousVisit(event, visits, goTo)}
    >
      <div
        className="ran-inside"
        style={{
          width: stateLabelWidth + visits.length * visitWidth + 60,
          height: states.length * stateRowHeight + 8,
        }}
      >
        <div className="ran-names">
          {states.map((state) => (
            <div key={state} className={`ran-name tone-${getTone(state)}`}>
              {state}
            </div>
          ))}
        </div>
        <svg
          className="ran-lines"
          style={{ left: stateLabelWidth + first * visitWidth }}
          width={Math.max(visible.length * visitWidth + visitWidth, scrollWindow.width)}
          height={states.length * stateRowHeight}
          aria-hidden="true"
        >
          {states.map((state, index) => (
            <line
              key={state}
              className="ran-rail"
              x1="0"
              x2="100%"
              y1={getRowCenter(index)}
              y2={getRowCenter(index)}
            />
          ))}
          <path className="ran-path" d={buildVisitPath(visible, rows)} />
          {visible.map((visit, index) => (
            <StateVisit
              key={visit.number}
              visit={visit}
              x={index * visitWidth + visitWidth / 2}
              y={getRowCenter(rows.get(visit.state) ?? 0)}
              tone={getTone(visit.state)}
              isLast={visit.number === visits.length}
              goTo={goTo}
            />
          ))}
        </svg>
      </div>
    </div>
  );
}

type ScrollWindow = { readonly left: number; readonly width: number };

/** Tracks the visible part of the box, and scrolls to the latest visit when visits are added. */
function useScrollWindow(
  box: RefObject<HTMLDivElement | null>,
  length: number,
): { readonly scrollWindow: ScrollWindow; readonly measure: () => void } {
  const [scrollWindow, setScrollWindow] = useState<ScrollWindow>({ left: 0, width: 800 });
  const measure = useCallback(() => {
    const element = box.current;
    if (element !== null) setScrollWindow({ left: element.scrollLeft, width: element.clientWidth });
  }, [box]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, measure]);
  useLayoutEffect(() => {
    box.current?.scrollTo({ left: length * visitWidth });
    measure();
  }, [box, measure, length]);
  return { scrollWindow: scrollWindow, measure: measure };
}

type StateVisitProps = {
  readonly visit: VisitRecord;
  readonly x: number;
  readonly y: number;
  readonly tone: string;
  readonly isLast: boolean;
  readonly goTo: (seq: number) => void;
};

function StateVisit({ visit, x, y, tone, isLast, goTo }: StateVisitProps) {
  const { seq, state, cause, at, durationMs } = visit;
  const when = at === null ? 'at the start' : `at ${formatLocalClock(at)}`;
  const long = durationMs === null ? '' : `, for ${formatElapsedTime(durationMs)}`;
  return (
    <g
      className={`ran-stay tone-${tone}${isLast ? ' current' : ''}`}
      transform={`translate(${x} ${y})`}
      onClick={() => {
        if (seq !== null) goTo(seq);
      }}
    >
      <title>{`${state} ${when}${cause === null ? '' : ` by ${cause}`}${long}${seq === null ? '' : ` (event ${seq})`}`}</title>
      <circle className="ran-hit" r={13} />
      <circle r={isLast ? 8 : durationMs === 0 ? 4 : 6} />
    </g>
  );
}

function getRowCenter(row: number): number {
  return row * stateRowHeight + stateRowHeight / 2;
}

function buildVisitPath(visible: readonly VisitRecord[], rows: ReadonlyMap<string, number>): string {
  return visible
    .map(({ state }, index) => {
      const [x, y] = [index * visitWidth + visitWidth / 2, getRowCenter(rows.get(state) ?? 0)];
      if (index === 0) return `M ${x} ${y}`;
      const before = visible[index - 1]?.state ?? state;
      const half = x - visitWidth / 2;
      return `C ${half} ${getRowCenter(rows.get(before) ?? 0)}, ${half} ${y}, ${x} ${y}`;
    })
    .join(' ');
}

function goToPreviousVisit(event: KeyboardEvent, visits: VisitList, goTo: (seq: number) => void): void {
  if (event.key !== 'ArrowLeft') return;
  // The last visit is the selected one, so go to the event that started the visit before it.
  const before = visits.length < 2 ? null : visits.visit(visits.length - 2).seq;
  if (before === null) return;
  event.preventDefault();
  goTo(before);
}
