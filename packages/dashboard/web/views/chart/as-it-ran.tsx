import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { clockTime, duration } from '../../app/format.ts';
import type { Visit, VisitList } from './visits.ts';

type AsItRanProps = {
  readonly visits: VisitList;
  /** The states with a row each, from top to bottom. */
  readonly states: readonly string[];
  readonly toneOf: (state: string) => string;
  readonly goTo: (seq: number) => void;
};

const stayWidth = 30;
const rowHeight = 34;
const labelWidth = 166;

/** Every stay in a state from left to right, a row for each state. Only what is in sight is drawn. */
export function AsItRan({ visits, states, toneOf, goTo }: AsItRanProps) {
  const box = useRef<HTMLDivElement>(null);
  const { sight, look } = useSight(box, visits.length);
  const rows = new Map(states.map((state, index) => [state, index]));
  const first = Math.max(0, Math.floor((sight.left - labelWidth) / stayWidth) - 4);
  const last = Math.min(visits.length - 1, Math.ceil((sight.left + sight.width) / stayWidth) + 4);
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
      onKeyDown={(event) => stepAlong(event, visits, goTo)}
    >
      <div
        className="ran-inside"
        style={{ width: labelWidth + visits.length * stayWidth + 60, height: states.length * rowHeight + 8 }}
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
          style={{ left: labelWidth + first * stayWidth }}
          width={Math.max(seen.length * stayWidth + stayWidth, sight.width)}
          height={states.length * rowHeight}
          aria-hidden="true"
        >
          {states.map((state, index) => (
            <line key={state} className="ran-rail" x1="0" x2="100%" y1={middle(index)} y2={middle(index)} />
          ))}
          <path className="ran-path" d={pathThrough(seen, rows)} />
          {seen.map((visit, index) => (
            <Stay
              key={visit.number}
              visit={visit}
              x={index * stayWidth + stayWidth / 2}
              y={middle(rows.get(visit.state) ?? 0)}
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

type Sight = { readonly left: number; readonly width: number };

/** Which part of the box is looked at; whenever there are more stays, the newest. */
function useSight(
  box: RefObject<HTMLDivElement | null>,
  length: number,
): { readonly sight: Sight; readonly look: () => void } {
  const [sight, setSight] = useState<Sight>({ left: 0, width: 800 });
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
    box.current?.scrollTo({ left: length * stayWidth });
    look();
  }, [box, look, length]);
  return { sight, look };
}

type StayProps = {
  readonly visit: Visit;
  readonly x: number;
  readonly y: number;
  readonly tone: string;
  readonly isLast: boolean;
  readonly goTo: (seq: number) => void;
};

function Stay({ visit, x, y, tone, isLast, goTo }: StayProps) {
  const { seq, state, cause, at, durationMs } = visit;
  const when = at === null ? 'at the beginning' : `at ${clockTime(at)}`;
  const long = durationMs === null ? '' : `, for ${duration(durationMs)}`;
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

function middle(row: number): number {
  return row * rowHeight + rowHeight / 2;
}

function pathThrough(seen: readonly Visit[], rows: ReadonlyMap<string, number>): string {
  return seen
    .map(({ state }, index) => {
      const [x, y] = [index * stayWidth + stayWidth / 2, middle(rows.get(state) ?? 0)];
      if (index === 0) return `M ${x} ${y}`;
      const before = seen[index - 1]?.state ?? state;
      const half = x - stayWidth / 2;
      return `C ${half} ${middle(rows.get(before) ?? 0)}, ${half} ${y}, ${x} ${y}`;
    })
    .join(' ');
}

function stepAlong(event: KeyboardEvent, visits: VisitList, goTo: (seq: number) => void): void {
  if (event.key !== 'ArrowLeft') return;
  // What is looked at is the last stay there is; the one before it begins at its own event.
  const before = visits.length < 2 ? null : visits.visit(visits.length - 2).seq;
  if (before === null) return;
  event.preventDefault();
  goTo(before);
}
