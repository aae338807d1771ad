import { getUnpausedTurn, type Event, type Session } from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import { listPendingOperations, type PendingOperation, type OperationKind } from './pending-operation.ts';

/** How an operation ended. A cancelled operation did not fail. */
export type OperationResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: string };

export type EndedOperation = { readonly operation: PendingOperation; readonly result: OperationResult };

/** Lists the operations that were pending before an event and no longer are. */
export function findEndedOperations(before: Session, stepResult: StepResult): readonly EndedOperation[] {
  if (before.turn === stepResult.session.turn) return [];
  const pendingKeys = new Set(listPendingOperations(stepResult.session).map(({ key }) => key));
  return listPendingOperations(before).flatMap((operation) =>
    pendingKeys.has(operation.key)
      ? []
      : [{ operation, result: resultReaders[operation.kind](stepResult, operation) }],
  );
}

const operationDone: OperationResult = { kind: 'done' };
const operationCancelled: OperationResult = { kind: 'cancelled' };
export function createOperationFailure(error: string): OperationResult {
  return { kind: 'failed', error };
}

type ResultReader = (stepResult: StepResult, operation: PendingOperation) => OperationResult;

/** Done by the first event type, failed by the second, cancelled by any other. */
const resultByEvent =
  (good: Event['type'], bad?: Event['type']): ResultReader =>
  ({ event: { type } }) =>
    type === good ? operationDone : type === bad ? createOperationFailure('io') : operationCancelled;

const resultReaders: Readonly<Record<OperationKind, ResultReader>> = {
  model: readModelResult,
  tool: ({ event }, operation) => {
    if (event.type !== 'tool-finished' || !isOperationCall(operation, event.callId))
      return operationCancelled;
    return event.outcome.ok ? operationDone : createOperationFailure(event.outcome.error.kind);
  },
  permission: ({ event }, operation) =>
    event.type === 'permission-decided' && isOperationCall(operation, event.callId)
      ? operationDone
      : operationCancelled,
  hooks: resultByEvent('hooks-finished', 'hooks-failed'),
  paging: resultByEvent('paging-finished', 'paging-failed'),
  retry: resultByEvent('retry-due'),
  recovery: resultByEvent('recovery-finished'),
  pause: resultByEvent('resume-requested'),
};

function isOperationCall(operation: PendingOperation, callId: string): boolean {
  return 'call' in operation && operation.call.id === callId;
}

/** A reply may count as a failure, for example a repetition loop. */
function readModelResult({ event, session: { turn } }: StepResult): OperationResult {
  if (event.type === 'model-failed') return createOperationFailure(event.error.kind);
  if (event.type !== 'model-replied') return operationCancelled;
  const unpaused = getUnpausedTurn(turn);
  return unpaused.status === 'errorRecovery' && unpaused.origin === 'model'
    ? createOperationFailure(unpaused.error.kind)
    : operationDone;
}
