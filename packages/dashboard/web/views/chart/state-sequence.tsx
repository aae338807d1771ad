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
import type { VisitRecord, VisitList } from './visit-list.ts';

type StateSequenceProps = {
  readonly visits: VisitList;
  /** The states that have a row, from top to bottom. */
  readonly states: readonly string[];
  readonly toneOf: (state: string) => string;
  readonly goTo: (seq: number) => void;
};

const visitWidth = 30;
const stateRowHeight = 34;
const stateLabelWidth = 166;

/** Shows all visits from left to right, with one row per state. Only the visible part is rendered. */
export function StateSequence({ visits, states, toneOf, goTo }: StateSequenceProps) {
  const box = useRef<HTMLDivElement>(null);
  const { sight, look } = useScrollWindow(box, visits.length);
  const rows = new Map(states.map((state, index) => [state, index]));
  const first = Math.max(0, Math.floor((sight.left - stateLabelWidth) / visitWidth) - 4);
  const last = Math.min(visits.length - 1, Math.ceil((sight.left + sight.width) / visitWidth) + 4);
  const seen = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    visits.visit(first + index),
  );
  return (
    <div
      ref={box}
      className="ran"
      role="group"
      tabIndex={0}
      aria-label={`${visits.length} stays as they ran. Left and right arrow keys go from one to the next.`}
      onScroll={look}
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
            <div key={state} className={`ran-name tone-${toneOf(state)}`}>
              {state}
            </div>
          ))}
        </div>
        <svg
          className="ran-lines"
          style={{ left: stateLabelWidth + first * visitWidth }}
          width={Math.max(seen.length * visitWidth + visitWidth, sight.width)}
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
          <path className="ran-path" d={buildVisitPath(seen, rows)} />
          {seen.map((visit, index) => (
            <StateVisit
              key={visit.number}
              visit={visit}
              x={index * visitWidth + visitWidth / 2}
              y={getRowCenter(rows.get(visit.state) ?? 0)}
              tone={toneOf(visit.state)}
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
): { readonly sight: ScrollWindow; readonly look: () => void } {
  const [sight, setSight] = useState<ScrollWindow>({ left: 0, width: 800 });
  const look = useCallback(() => {
    const element = box.current;
    if (element !== null) setSight({ left: element.scrollLeft, width: element.clientWidth });
  }, [box]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, look]);
  useLayoutEffect(() => {
    box.current?.scrollTo({ left: length * visitWidth });
    look();
  }, [box, look, length]);
  return { sight, look };
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
  const when = at === null ? 'at the beginning' : `at ${formatLocalClock(at)}`;
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

function buildVisitPath(seen: readonly VisitRecord[], rows: ReadonlyMap<string, number>): string {
  return seen
    .map(({ state }, index) => {
      const [x, y] = [index * visitWidth + visitWidth / 2, getRowCenter(rows.get(state) ?? 0)];
      if (index === 0) return `M ${x} ${y}`;
      const before = seen[index - 1]?.state ?? state;
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
