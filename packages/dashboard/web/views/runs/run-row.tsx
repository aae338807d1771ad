import type { SessionRow } from '../../app/api-types.ts';
import { ago, amount, dayTime, money } from '../../app/format.ts';
import { sessionAddress } from '../../app/route.ts';
import { visibleLine } from '../../app/visible.ts';
import { StatusPill } from '../../app/widgets/status-pill.tsx';

export function RunsHead() {
  return (
    <div className="run-row head" role="row" aria-rowindex={1}>
      <span role="columnheader">State</span>
      <span role="columnheader">Goal</span>
      <span role="columnheader" className="number">
        Replies
      </span>
      <span role="columnheader" className="number">
        Calls
      </span>
      <span role="columnheader" className="number">
        Tokens
      </span>
      <span role="columnheader" className="number">
        Cost
      </span>
      <span role="columnheader" className="number">
        Age
      </span>
    </div>
  );
}

type RunRowProps = {
  readonly row: SessionRow;
  readonly place: number;
  readonly start: number;
  readonly now: number;
  readonly isChosen: boolean;
  /** Tells the list how high the row is, which is not the same on every screen. */
  readonly measure: (element: HTMLElement | null) => void;
};

export function RunRow({ row, place, start, now, isChosen, measure }: RunRowProps) {
  const { short, goal, status, asks, steps, toolCalls, tokens, cost, updatedAt, holder } = row;
  return (
    <div
      className={isChosen ? 'run-row chosen' : 'run-row'}
      role="row"
      ref={measure}
      data-index={place - 2}
      aria-rowindex={place}
      aria-selected={isChosen}
      style={{ transform: `translateY(${start}px)` }}
    >
      <span role="cell" className="run-state">
        <StatusPill status={status} isLive={holder !== 'nobody'} />
        {asks > 0 && <span className="asks">{asks} to decide</span>}
      </span>
      <span role="cell" className="run-goal">
        <a href={sessionAddress(row)}>{visibleLine(goal ?? 'Nothing was said yet', 240)}</a>
        <span className="run-about">
          <code>{short}</code>
          {aboutLine(row)}
        </span>
      </span>
      <span role="cell" className="number">
        {steps}
      </span>
      <span role="cell" className="number">
        {toolCalls}
      </span>
      <span role="cell" className="number">
        {amount(tokens)}
      </span>
      <span role="cell" className="number">
        {cost === 0 ? '–' : money(cost)}
      </span>
      <span role="cell" className="number" title={dayTime(updatedAt)}>
        {ago(updatedAt, now)}
      </span>
    </div>
  );
}

function aboutLine({ profile, model, mode, phase, stop, parent }: SessionRow): string {
  const parts = [
    profile,
    model ?? '',
    mode === null ? '' : `mode ${mode}`,
    phase === null
      ? ''
      : `phase ${phase.number}${phase.total === null ? '' : ` of ${phase.total}`}: ${phase.description}`,
    stop === null ? '' : `${stop.kind}${stop.rule === null ? '' : ` by ${stop.rule}`}: ${stop.reason}`,
    parent === null ? '' : `forked from ${parent.id.slice(0, 8)} at ${parent.at}`,
  ];
  return visibleLine(parts.filter((part) => part !== '').join(' · '), 240);
}
