import { isEphemeralEvent, type Session, type Verdict } from '@pawl/core';
import {
  advanceOpenTurn,
  diffSpans,
  findOpenTurn,
  getTurnEnding,
  listOpenSpans,
  listVerdicts,
  toReplayedStep,
  type EndedTurn,
  type ReplayedStep,
  type SessionSpan,
  type SpanKind,
  type SpanResult,
  type TurnSpan,
} from '@pawl/core/projections';
import type { ModelResponse, StepResult } from '@pawl/runtime';

/** A span within a turn; the wait for the user is between turns and not reported. */
export type OperationSpan = Exclude<SessionSpan, { readonly kind: 'user' }>;

export type EndedOperation = { readonly operation: OperationSpan; readonly result: SpanResult };

/** The effects of one event, for both spans and metrics. */
export type StepObservation = {
  readonly stepResult: StepResult;
  /** The turn that the ended operations were part of. */
  readonly turn: TurnSpan | null;
  readonly endedOperations: readonly EndedOperation[];
  readonly endedTurn: EndedTurn | null;
  readonly verdicts: readonly Verdict[];
  /** When the first chunk of the reply arrived, if a model call ended. */
  readonly firstChunkAt: number | null;
  /** What the provider said about the response, if a model call ended; otherwise about an earlier one. */
  readonly response: ModelResponse;
};

/** Follows one session event by event; returns null for events that changed nothing. */
export function createStepObserver(
  session: Session,
  { now, getResponse }: { readonly now: number; readonly getResponse: () => ModelResponse },
): (stepResult: StepResult) => StepObservation | null {
  const restartedKeys = listRestartedSpans(session);
  let before = session;
  let turn = findOpenTurn(session);
  let firstChunkAt: number | null = null;
  return (stepResult) => {
    const { event, session: after } = stepResult;
    const replayed = toReplayedStep(before, stepResult);
    const previous = before;
    before = after;
    if (isEphemeralEvent(event)) {
      if (event.type !== 'tool-progressed') firstChunkAt ??= event.at;
      return null;
    }
    if (after === previous) return null;
    const open = turn;
    turn = advanceOpenTurn(open, previous, after);
    const endedOperations = listEndedOperations(replayed).map(({ operation, result }) =>
      restartedKeys.has(operation.key)
        ? { operation: { ...operation, since: Math.max(operation.since, now) }, result }
        : { operation, result },
    );
    const observation: StepObservation = {
      stepResult,
      turn: open,
      endedOperations,
      endedTurn: open === null || open === turn ? null : { ...open, ...getTurnEnding(replayed) },
      verdicts: listVerdicts(replayed),
      firstChunkAt,
      response: getResponse(),
    };
    if (endedOperations.some(({ operation }) => operation.kind === 'model')) firstChunkAt = null;
    return observation;
  };
}

function listEndedOperations(replayed: ReplayedStep): readonly EndedOperation[] {
  return diffSpans(replayed).ended.flatMap(({ span, result }) =>
    span.kind === 'user' ? [] : [{ operation: span, result }],
  );
}

/** Lists operations that started elsewhere and restart here. Permission requests and running calls continue instead. */
function listRestartedSpans(session: Session): ReadonlySet<string> {
  const kinds: readonly SpanKind[] = ['model', 'hooks', 'paging'];
  return new Set(listOpenSpans(session).flatMap(({ kind, key }) => (kinds.includes(kind) ? [key] : [])));
}
