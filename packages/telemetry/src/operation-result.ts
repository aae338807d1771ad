import { getUnpausedTurn, type Event, type Session } from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import { listPendingOperations, type PendingOperation, type OperationKind } from './pending-operation.ts';

/** How an operation ended. A cancelled operation did not fail. */
export type OperationResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'called-off' }
  | { readonly kind: 'failed'; readonly error: string };

export type EndedOperation = { readonly work: PendingOperation; readonly end: OperationResult };

/** Lists the operations that were pending before an event and no longer are. */
export function findEndedOperations(before: Session, seen: StepResult): readonly EndedOperation[] {
  if (before.turn === seen.session.turn) return [];
  const left = new Set(listPendingOperations(seen.session).map(({ key }) => key));
  return listPendingOperations(before).flatMap((work) =>
    left.has(work.key) ? [] : [{ work, end: resultReaders[work.kind](seen, work) }],
  );
}

const operationDone: OperationResult = { kind: 'done' };
const operationCancelled: OperationResult = { kind: 'called-off' };
const createOperationFailure = (error: string): OperationResult => ({ kind: 'failed', error });

type ResultReader = (seen: StepResult, work: PendingOperation) => OperationResult;

/** Done by the first event type, failed by the second, cancelled by any other. */
const resultByEvent =
  (good: Event['type'], bad?: Event['type']): ResultReader =>
  ({ event: { type } }) =>
    type === good ? operationDone : type === bad ? createOperationFailure('io') : operationCancelled;

const resultReaders: Readonly<Record<OperationKind, ResultReader>> = {
  model: readModelResult,
  tool: ({ event }, work) => {
    if (event.type !== 'tool-finished' || !isOperationCall(work, event.callId)) return operationCancelled;
    return event.outcome.ok ? operationDone : createOperationFailure(event.outcome.error.kind);
  },
  permission: ({ event }, work) =>
    event.type === 'permission-decided' && isOperationCall(work, event.callId)
      ? operationDone
      : operationCancelled,
  hooks: resultByEvent('hooks-finished', 'hooks-failed'),
  paging: resultByEvent('paging-finished', 'paging-failed'),
  retry: resultByEvent('retry-due'),
  recovery: resultByEvent('recovery-finished'),
  pause: resultByEvent('resume-requested'),
};

function isOperationCall(work: PendingOperation, callId: string): boolean {
  return 'call' in work && work.call.id === callId;
}

/** A reply may count as a failure, for example a repetition loop. */
function readModelResult({ event, session: { turn } }: StepResult): OperationResult {
  if (event.type === 'model-failed') return createOperationFailure(event.error.kind);
  if (event.type !== 'model-replied') return operationCancelled;
  const held = getUnpausedTurn(turn);
  return held.status === 'errorRecovery' && held.origin === 'model'
    ? createOperationFailure(held.error.kind)
    : operationDone;
}
