import { conversationOf, entriesOf, lastItem, tokensOf, type Session } from '@pawl/core';
import { amount } from '../../app/format.ts';
import type { Track } from '../../app/track.ts';
import { visibleLine } from '../../app/visible.ts';
import { JsonView } from '../../app/widgets/json-view.tsx';
import { StatusPill } from '../../app/widgets/status-pill.tsx';
import type { LoadedRun } from './load-run.ts';

type StatesBesideProps = { readonly a: LoadedRun; readonly b: LoadedRun; readonly index: number };

/** What the two events that are looked at say, and the state of each run after it. */
export function StatesBeside({ a, b, index }: StatesBesideProps) {
  return (
    <div className="compare-states">
      {[a, b].map((run, side) => (
        <State key={side} run={run} index={index} label={side === 0 ? 'The first' : 'The second'} />
      ))}
    </div>
  );
}

function State({
  run,
  index,
  label,
}: {
  readonly run: LoadedRun;
  readonly index: number;
  readonly label: string;
}) {
  const { track, addressOf } = run;
  const entry = index < track.length ? track.entry(index) : null;
  const session = track.at(entry?.seq ?? track.head);
  return (
    <section aria-label={`${label} run after event ${index + 1}`}>
      <h3>
        {label}, after event {entry?.seq ?? track.head}
        {entry === null && ' (its last)'} <StatusPill status={session.turn.status} />{' '}
        <a href={addressOf(entry?.seq ?? track.head)}>open</a>
      </h3>
      {entry !== null && <JsonView value={entry.event} open={2} />}
      <dl>
        {factsOf(session, track).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function factsOf(session: Session, { created }: Track): readonly (readonly [string, string])[] {
  const conversation = conversationOf(session);
  const last = lastItem(conversation);
  const { mode, memory, phases, governor, spent } = session;
  return [
    [
      'messages',
      `${conversation.length}${last === undefined ? '' : `, the last from ${last.role === 'tool' ? last.tool : last.role}`}`,
    ],
    [
      'used',
      `${spent.modelCalls} model calls, ${spent.toolCalls} tool calls, ${amount(spent.tokens)} tokens`,
    ],
    ...(mode === null ? [] : [['mode', mode.state] as const]),
    ...(phases.current === null
      ? []
      : [['phase', `${phases.current.number}: ${visibleLine(phases.current.description, 80)}`] as const]),
    ...(memory === null
      ? []
      : [['memory', `${amount(tokensOf(memory))} tokens in ${entriesOf(memory).length} entries`] as const]),
    ...(governor.refused.length === 0
      ? []
      : [['refused', `${governor.refused.length} calls for now`] as const]),
    ...(created.seq === 0 ? [] : [['began after', `event ${created.seq}`] as const]),
  ];
}
