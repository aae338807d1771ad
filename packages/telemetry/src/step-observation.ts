import { isEphemeralEvent, type Session, type Verdict } from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import { findEndedOperations, type EndedOperation } from './operation-result.ts';
import { listPendingOperations, type OperationKind } from './pending-operation.ts';
import { advanceOpenTurn, getTurnResult, findOpenTurn, type EndedTurn, type OpenTurn } from './open-turn.ts';

/** The effects of one event, for both spans and metrics. */
export type StepObservation = {
  readonly stepResult: StepResult;
  readonly before: Session;
  /** The turn that the ended operations were part of. */
  readonly turn: OpenTurn | null;
  readonly endedOperations: readonly EndedOperation[];
  readonly endedTurn: EndedTurn | null;
  readonly verdicts: readonly Verdict[];
  /** When the first chunk of the reply arrived, if a model call ended. */
  readonly firstChunkAt: number | null;
};

/** Follows one session event by event; returns null for events that changed nothing. */
export function createStepObserver(
  session: Session,
  now: number,
): (stepResult: StepResult) => StepObservation | null {
  const restartedKeys = listRestartedOperations(session);
  let before = session;
  let turn = findOpenTurn(session);
  let firstChunkAt: number | null = null;
  return (stepResult) => {
    const { event, session: after } = stepResult;
    const previous = before;
    before = after;
    if (isEphemeralEvent(event)) {
      if (event.type !== 'tool-progressed') firstChunkAt ??= event.at;
      return null;
    }
    if (after === previous) return null;
    const open = turn;
    turn = advanceOpenTurn(open, previous, after);
    const endedOperations = findEndedOperations(previous, stepResult).map(({ operation, result }) =>
      restartedKeys.has(operation.key)
        ? { operation: { ...operation, since: Math.max(operation.since, now) }, result }
        : { operation, result },
    );
    const observation: StepObservation = {
      stepResult,
      before: previous,
      turn: open,
      endedOperations,
      endedTurn: open === null || open === turn ? null : { ...open, ...getTurnResult(stepResult) },
      verdicts: listResultVerdicts(stepResult),
      firstChunkAt,
    };
    if (endedOperations.some(({ operation }) => operation.kind === 'model')) firstChunkAt = null;
    return observation;
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
  const noteVerdicts = notes.flatMap((note) => (note.type === 'verdict' ? [note.verdict] : []));
  return event.type === 'verdict-reached' ? [event.verdict, ...noteVerdicts] : noteVerdicts;
}
