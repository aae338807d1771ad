import type {
  EventType,
  Json,
  MemoryWish,
  ModelError,
  ModelErrorKind,
  Outcome,
  RecoveryOutcome,
  RequestedCall,
  Response,
  ToolErrorKind,
  Verdict,
} from '../../src/index.ts';
import type { Happening } from './tell.ts';

/** One line for each thing that can happen, so that a tale reads as one. */
export const says = (text = 'hello'): Happening => ({ type: 'user-message', text });
export const steers = (text = 'not that one'): Happening => ({ type: 'steered', text });
export const writes = (text = 'he'): Happening => ({ type: 'text-delta', text });
export const writesCall = (callId = 'a', fragment = '{'): Happening => ({
  type: 'call-delta',
  callId,
  tool: 'read',
  fragment,
});
export const replies = (text = 'done', ...calls: readonly RequestedCall[]): Happening => ({
  type: 'model-replied',
  text,
  calls,
});
export const fails = (error: Partial<ModelError> = {}, jitter?: number): Happening => ({
  type: 'model-failed',
  error: { kind: 'overloaded', message: 'too busy', ...error },
  ...(jitter === undefined ? {} : { jitter }),
});
export const overflows = (): Happening => fails({ kind: 'context-overflow', message: 'no room' });
export const allows = (callId = 'a'): Happening => ({
  type: 'permission-decided',
  callId,
  decision: 'allow',
});
export const denies = (callId = 'a', reason?: string): Happening => ({
  type: 'permission-decided',
  callId,
  decision: 'deny',
  ...(reason === undefined ? {} : { reason }),
});
export const starts = (callId = 'a'): Happening => ({ type: 'tool-started', callId });
export const reports = (callId = 'a', progress = 'half way'): Happening => ({
  type: 'tool-progressed',
  callId,
  progress,
});
export const finishes = (callId = 'a', outcome: Outcome = worked()): Happening => ({
  type: 'tool-finished',
  callId,
  outcome,
});
export const hooksFinish = (actionTaken = true): Happening => ({ type: 'hooks-finished', actionTaken });
export const hooksFail = (message = 'no commit', jitter?: number): Happening => ({
  type: 'hooks-failed',
  message,
  ...(jitter === undefined ? {} : { jitter }),
});
export const retryIsDue = (): Happening => ({ type: 'retry-due' });
export const recovers = (outcome: RecoveryOutcome = { kind: 'ask-model' }): Happening => ({
  type: 'recovery-finished',
  outcome,
});
export const asksToPage = (reason = 'tidy up'): Happening => ({ type: 'paging-requested', reason });
export const paged = (freedTokens = 100): Happening => ({ type: 'paging-finished', freedTokens });
export const pagingFails = (message = 'no disk', jitter?: number): Happening => ({
  type: 'paging-failed',
  message,
  ...(jitter === undefined ? {} : { jitter }),
});
export const asksOfMemory = (action: MemoryWish = 'pin', key = 'plan'): Happening => ({
  type: 'memory-asked',
  action,
  key,
});
export const startsPhase = (number = 1, message?: string): Happening => ({
  type: 'phase-started',
  number,
  description: `part ${number}`,
  ...(message === undefined ? {} : { message }),
});
export const endsPhase = (success = true): Happening => ({ type: 'phase-completed', success });
export const judged = (response: Response['kind'] | Response, change: Partial<Verdict> = {}): Happening => ({
  type: 'verdict-reached',
  verdict: verdict(response, change),
});
export const asksToFinish = (reason = 'time is up'): Happening => ({ type: 'finish-requested', reason });
export const pauses = (reason = 'low on memory'): Happening => ({ type: 'pause-requested', reason });
export const resumes = (): Happening => ({ type: 'resume-requested' });
export const cancels = (): Happening => ({ type: 'cancel-requested' });
export const halts = (reason = 'enough'): Happening => ({ type: 'halt-requested', reason });
export const shutsDown = (): Happening => ({ type: 'shutdown-requested' });

/** One of each type. */
export const oneOfEach: { readonly [Type in EventType]: Happening } = {
  'user-message': says('and then?'),
  steered: steers(),
  'text-delta': writes(),
  'call-delta': writesCall(),
  'model-replied': replies('the answer'),
  'model-failed': fails(),
  'permission-decided': allows(),
  'tool-started': starts(),
  'tool-progressed': reports(),
  'tool-finished': finishes(),
  'hooks-finished': hooksFinish(),
  'hooks-failed': hooksFail(),
  'retry-due': retryIsDue(),
  'recovery-finished': recovers(),
  'paging-requested': asksToPage(),
  'paging-finished': paged(),
  'paging-failed': pagingFails(),
  'memory-asked': asksOfMemory(),
  'phase-started': startsPhase(),
  'phase-completed': endsPhase(),
  'verdict-reached': judged('advise'),
  'finish-requested': asksToFinish(),
  'pause-requested': pauses(),
  'resume-requested': resumes(),
  'cancel-requested': cancels(),
  'halt-requested': halts(),
  'shutdown-requested': shutsDown(),
};

/** The same happening as an answer to a request. */
export function answering(request: number, happening: Happening): Happening {
  return { ...happening, request } as Happening;
}

export function call(
  id: string,
  tool = 'read',
  permission?: NonNullable<RequestedCall['permission']>,
): RequestedCall {
  return { id, tool, args: { path: `${id}.txt` }, ...(permission === undefined ? {} : { permission }) };
}

export function worked(output: Json = 'fine', final?: boolean): Outcome {
  return { ok: true, output, ...(final === undefined ? {} : { final }) };
}

export function broke(message = 'broken', kind: ToolErrorKind = 'failed'): Outcome {
  return { ok: false, error: { kind, message } };
}

export function verdict(response: Response['kind'] | Response, change: Partial<Verdict> = {}): Verdict {
  const full =
    typeof response !== 'string'
      ? response
      : response === 'run'
        ? { kind: response, calls: [call('r')] }
        : { kind: response };
  return {
    level: full.kind === 'advise' ? 'suspect' : 'stuck',
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
