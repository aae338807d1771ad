import type { SessionListItem } from '../../app/api-types.ts';
import { formatTimeAgo, formatAmount, formatDayTime, formatCost } from '../../app/format.ts';
import { formatSessionAddress } from '../../app/page-route.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { StatusPill } from '../../app/widgets/status-pill.tsx';

export function RunsTableHead() {
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

type RunsTableRowProps = {
  readonly row: SessionListItem;
  readonly rowIndex: number;
  readonly start: number;
  readonly now: number;
  readonly isSelected: boolean;
  /** Reports the row height to the list, because it varies between screens. */
  readonly measure: (element: HTMLElement | null) => void;
};

export function RunsTableRow({ row, rowIndex, start, now, isSelected, measure }: RunsTableRowProps) {
  const { short, goal, status, asks, steps, toolCalls, tokens, cost, updatedAt, holder } = row;
  return (
    <div
      className={isSelected ? 'run-row chosen' : 'run-row'}
      role="row"
      ref={measure}
      data-index={rowIndex - 2}
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
      style={{ transform: `translateY(${start}px)` }}
    >
      <span role="cell" className="run-state">
        <StatusPill status={status} isLive={holder !== 'nobody'} />
        {asks > 0 && <span className="asks">{asks} to decide</span>}
      </span>
      <span role="cell" className="run-goal">
        <a href={formatSessionAddress(row)}>{toSafeLine(goal ?? 'No message yet', 240)}</a>
        <span className="run-about">
          <code>{short}</code>
          {formatRunDetails(row)}
        </span>
      </span>
      <span role="cell" className="number">
        {steps}
      </span>
      <span role="cell" className="number">
        {toolCalls}
      </span>
      <span role="cell" className="number">
        {formatAmount(tokens)}
      </span>
      <span role="cell" className="number">
        {cost === 0 ? '–' : formatCost(cost)}
      </span>
      <span role="cell" className="number" title={formatDayTime(updatedAt)}>
        {formatTimeAgo(updatedAt, now)}
      </span>
    </div>
  );
}

function formatRunDetails({ profile, model, mode, phase, stop, parent }: SessionListItem): string {
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
  return toSafeLine(parts.filter((part) => part !== '').join(' · '), 240);
}
