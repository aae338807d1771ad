import type {
  EventType,
  Json,
  ModelError,
  ModelErrorKind,
  ToolOutcome,
  RecoveryOutcome,
  RequestedCall,
  VerdictResponse,
  ToolErrorKind,
  Verdict,
} from '../../src/index.ts';
import type { MemoryCommand } from '../../src/memory-entry.ts';
import type { UntimedEvent } from './run-events.ts';

const severityByResponse: Readonly<Record<VerdictResponse['kind'], Verdict['severity']>> = {
  advise: 'advise',
  block: 'block',
  run: 'block',
  recover: 'block',
  ask: 'ask',
  stop: 'stop',
  halt: 'stop',
};

/** One builder per event, so that a test reads as a list of events. */
export const userMessage = (text = 'hello'): UntimedEvent => ({ type: 'user-message', text });
export const userSteered = (text = 'not that one'): UntimedEvent => ({ type: 'steered', text });
export const textDelta = (text = 'he'): UntimedEvent => ({ type: 'text-delta', text });
export const callDelta = (callId = 'a', fragment = '{'): UntimedEvent => ({
  type: 'call-delta',
  callId,
  tool: 'read',
  fragment,
});
export const modelReplied = (text = 'done', ...calls: readonly RequestedCall[]): UntimedEvent => ({
  type: 'model-replied',
  text,
  calls,
});
export const modelFailed = (error: Partial<ModelError> = {}, jitter?: number): UntimedEvent => ({
  type: 'model-failed',
  error: { kind: 'overloaded', message: 'too busy', ...error },
  ...(jitter === undefined ? {} : { jitter }),
});
export const contextOverflowed = (): UntimedEvent =>
  modelFailed({ kind: 'context-overflow', message: 'no room' });
export const permissionAllowed = (callId = 'a'): UntimedEvent => ({
  type: 'permission-decided',
  callId,
  decision: 'allow',
});
export const permissionDenied = (callId = 'a', reason?: string): UntimedEvent => ({
  type: 'permission-decided',
  callId,
  decision: 'deny',
  ...(reason === undefined ? {} : { reason }),
});
export const toolStarted = (callId = 'a'): UntimedEvent => ({ type: 'tool-started', callId });
export const toolProgressed = (callId = 'a', progress = 'half way'): UntimedEvent => ({
  type: 'tool-progressed',
  callId,
  progress,
});
export const toolFinished = (callId = 'a', outcome: ToolOutcome = successOutcome()): UntimedEvent => ({
  type: 'tool-finished',
  callId,
  outcome,
});
export const hooksFinished = (actionTaken = true): UntimedEvent => ({ type: 'hooks-finished', actionTaken });
export const hooksFailed = (message = 'no commit', jitter?: number): UntimedEvent => ({
  type: 'hooks-failed',
  message,
  ...(jitter === undefined ? {} : { jitter }),
});
export const retryDue = (): UntimedEvent => ({ type: 'retry-due' });
export const recoveryFinished = (outcome: RecoveryOutcome = { kind: 'ask-model' }): UntimedEvent => ({
  type: 'recovery-finished',
  outcome,
});
export const pagingRequested = (reason = 'tidy up'): UntimedEvent => ({ type: 'paging-requested', reason });
export const pagingFinished = (freedTokens = 100): UntimedEvent => ({ type: 'paging-finished', freedTokens });
export const pagingFailed = (message = 'no disk', jitter?: number): UntimedEvent => ({
  type: 'paging-failed',
  message,
  ...(jitter === undefined ? {} : { jitter }),
});
export const memoryCommandRequested = (action: MemoryCommand = 'pin', key = 'plan'): UntimedEvent => ({
  type: 'memory-command-requested',
  action,
  key,
});
export const phaseStarted = (number = 1, message?: string): UntimedEvent => ({
  type: 'phase-started',
  number,
  description: `part ${number}`,
  ...(message === undefined ? {} : { message }),
});
export const phaseCompleted = (success = true): UntimedEvent => ({ type: 'phase-completed', success });
export const verdictReached = (
  response: VerdictResponse['kind'] | VerdictResponse,
  change: Partial<Verdict> = {},
): UntimedEvent => ({
  type: 'verdict-reached',
  verdict: createTestVerdict(response, change),
});
export const finishRequested = (reason = 'time is up'): UntimedEvent => ({
  type: 'finish-requested',
  reason,
});
export const pauseRequested = (reason = 'low on memory'): UntimedEvent => ({
  type: 'pause-requested',
  reason,
});
export const resumeRequested = (): UntimedEvent => ({ type: 'resume-requested' });
export const cancelRequested = (): UntimedEvent => ({ type: 'cancel-requested' });
export const haltRequested = (reason = 'enough'): UntimedEvent => ({ type: 'halt-requested', reason });
export const shutdownRequested = (): UntimedEvent => ({ type: 'shutdown-requested' });

/** One of each type. */
export const eventSamples: { readonly [Type in EventType]: UntimedEvent } = {
  'user-message': userMessage('and then?'),
  steered: userSteered(),
  'text-delta': textDelta(),
  'call-delta': callDelta(),
  'model-replied': modelReplied('the answer'),
  'model-failed': modelFailed(),
  'permission-decided': permissionAllowed(),
  'tool-started': toolStarted(),
  'tool-progressed': toolProgressed(),
  'tool-finished': toolFinished(),
  'hooks-finished': hooksFinished(),
  'hooks-failed': hooksFailed(),
  'retry-due': retryDue(),
  'recovery-finished': recoveryFinished(),
  'paging-requested': pagingRequested(),
  'paging-finished': pagingFinished(),
  'paging-failed': pagingFailed(),
  'memory-command-requested': memoryCommandRequested(),
  'phase-started': phaseStarted(),
  'phase-completed': phaseCompleted(),
  'verdict-reached': verdictReached('advise'),
  'finish-requested': finishRequested(),
  'pause-requested': pauseRequested(),
  'resume-requested': resumeRequested(),
  'cancel-requested': cancelRequested(),
  'halt-requested': haltRequested(),
  'shutdown-requested': shutdownRequested(),
};

/** The same happening as an answer to a request. */
export function withRequest(request: number, event: UntimedEvent): UntimedEvent {
  return { ...event, request } as UntimedEvent;
}

export function createCall(
  id: string,
  tool = 'read',
  permission?: NonNullable<RequestedCall['permission']>,
): RequestedCall {
  return { id, tool, args: { path: `${id}.txt` }, ...(permission === undefined ? {} : { permission }) };
}

export function successOutcome(output: Json = 'fine', final?: boolean): ToolOutcome {
  return { ok: true, output, ...(final === undefined ? {} : { final }) };
}

export function failureOutcome(message = 'broken', kind: ToolErrorKind = 'failed'): ToolOutcome {
  return { ok: false, error: { kind, message } };
}

export function createTestVerdict(
  response: VerdictResponse['kind'] | VerdictResponse,
  change: Partial<Verdict> = {},
): Verdict {
  const full =
    typeof response !== 'string'
      ? response
      : response === 'run'
        ? { kind: response, calls: [createCall('r')] }
        : { kind: response };
  return {
    severity: severityByResponse[full.kind],
    rule: `rule-${full.kind}`,
    reason: `because ${full.kind}`,
    advice: `advice ${full.kind}`,
    evidence: [1, 2],
    response: full,
    ...change,
  };
}

export const modelErrorKinds: readonly [ModelErrorKind, ...ModelErrorKind[]] = [
  'auth',
  'rate-limit',
  'overloaded',
  'context-overflow',
  'bad-request',
  'network',
  'refused',
  'truncated',
  'timeout',
  'unknown',
];
