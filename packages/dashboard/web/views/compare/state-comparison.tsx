import { getConversation, type Session, getLastItem } from '@pawl/core';
import { listEntries, countMemoryTokens } from '@pawl/core/memory';
import { formatAmount } from '../../app/format.ts';
import type { ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { JsonView } from '../../app/widgets/json-view.tsx';
import { StatusPill } from '../../app/widgets/status-pill.tsx';
import type { LoadedRun } from './load-run.ts';

type StateComparisonProps = { readonly a: LoadedRun; readonly b: LoadedRun; readonly index: number };

/** Shows the two selected events and the state of each run after them. */
export function StateComparison({ a, b, index }: StateComparisonProps) {
  return (
    <div className="compare-states">
      {[a, b].map((run, side) => (
        <ComparedState key={side} run={run} index={index} label={side === 0 ? 'First' : 'Second'} />
      ))}
    </div>
  );
}

function ComparedState({
  run,
  index,
  label,
}: {
  readonly run: LoadedRun;
  readonly index: number;
  readonly label: string;
}) {
  const { timeline, getAddress } = run;
  const entry = index < timeline.length ? timeline.entry(index) : null;
  const session = timeline.stateAt(entry?.seq ?? timeline.head);
  return (
    <section aria-label={`${label} run after event ${index + 1}`}>
      <h3>
        {label} run, after event {entry?.seq ?? timeline.head}
        {entry === null && ' (last)'} <StatusPill status={session.turn.status} />{' '}
        <a href={getAddress(entry?.seq ?? timeline.head)}>open</a>
      </h3>
      {entry !== null && <JsonView value={entry.event} expandedDepth={2} />}
      <dl>
        {listStateFacts(session, timeline).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function listStateFacts(
  session: Session,
  { created }: ReplayedTimeline,
): readonly (readonly [string, string])[] {
  const conversation = getConversation(session);
  const last = getLastItem(conversation);
  const { mode, memory, phases, governor, budgetUsage } = session;
  return [
    [
      'messages',
      `${conversation.length}${last === undefined ? '' : `, last by ${last.role === 'tool' ? last.tool : last.role}`}`,
    ],
    [
      'usage',
      `${budgetUsage.modelCalls} model calls, ${budgetUsage.toolCalls} tool calls, ${formatAmount(budgetUsage.tokens)} tokens`,
    ],
    ...(mode === null ? [] : [['mode', mode.state] as const]),
    ...(phases.current === null
      ? []
      : [['phase', `${phases.current.number}: ${toSafeLine(phases.current.description, 80)}`] as const]),
    ...(memory === null
      ? []
      : [
          [
            'memory',
            `${formatAmount(countMemoryTokens(memory))} tokens in ${listEntries(memory).length} entries`,
          ] as const,
        ]),
    ...(governor.blockedCalls.length === 0
      ? []
      : [['blocked', `${governor.blockedCalls.length} calls`] as const]),
    ...(created.seq === 0 ? [] : [['starts after', `event ${created.seq}`] as const]),
  ];
}
