import { isEphemeralEvent, type Session, type Verdict } from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import { findEndedOperations, type EndedOperation } from './operation-result.ts';
import { listPendingOperations, type OperationKind } from './pending-operation.ts';
import { advanceOpenTurn, getTurnResult, findOpenTurn, type EndedTurn, type OpenTurn } from './open-turn.ts';

/** The effects of one event, for both spans and metrics. */
export type StepObservation = {
  readonly seen: StepResult;
  readonly before: Session;
  /** The turn that the ended operations were part of. */
  readonly turn: OpenTurn | null;
  readonly ended: readonly EndedOperation[];
  readonly endedTurn: EndedTurn | null;
  readonly verdicts: readonly Verdict[];
  /** When the first chunk of the reply arrived, if a model call ended. */
  readonly firstChunkAt: number | null;
};

/** Follows one session event by event; returns null for events that changed nothing. */
export function createStepObserver(
  session: Session,
  now: number,
): (seen: StepResult) => StepObservation | null {
  const again = listRestartedOperations(session);
  let before = session;
  let turn = findOpenTurn(session);
  let firstChunkAt: number | null = null;
  return (seen) => {
    const { event, session: after } = seen;
    const last = before;
    before = after;
    if (isEphemeralEvent(event)) {
      if (event.type !== 'tool-progressed') firstChunkAt ??= event.at;
      return null;
    }
    if (after === last) return null;
    const open = turn;
    turn = advanceOpenTurn(open, last, after);
    const ended = findEndedOperations(last, seen).map(({ work, end }) =>
      again.has(work.key) ? { work: { ...work, since: Math.max(work.since, now) }, end } : { work, end },
    );
    const happening: StepObservation = {
      seen,
      before: last,
      turn: open,
      ended,
      endedTurn: open === null || open === turn ? null : { ...open, ...getTurnResult(seen) },
      verdicts: listResultVerdicts(seen),
      firstChunkAt,
    };
    if (ended.some(({ work }) => work.kind === 'model')) firstChunkAt = null;
    return happening;
  };
}

/** Lists operations that started elsewhere and restart here. Permission requests and running calls continue instead. */
function listRestartedOperations(session: Session): ReadonlySet<string> {
  const kinds: readonly OperationKind[] = ['model', 'hooks', 'paging'];
  return new Set(
    listPendingOperations(session).flatMap(({ kind, key }) => (kinds.includes(kind) ? [key] : [])),
  );
}

function listResultVerdicts({ event, notes }: StepResult): readonly Verdict[] {
  const noted = notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict] : []));
  return event.type === 'verdict-reached' ? [event.verdict, ...noted] : noted;
}
