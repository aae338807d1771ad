import { parseHookInput, type HookEvent, type HookHost } from './hook-event.ts';
import type { InterruptibleProgram } from './interrupt-host.ts';
import {
  recordHookCall,
  resetHookState,
  judgeHookCall,
  judgeModelCall,
  markModelTold,
  type HookDecision,
  type HookJudgment,
  type HookLimits,
  type HookState,
  type HookStateStore,
} from './hook-state.ts';

export type HookContext = {
  readonly states: HookStateStore;
  readonly now: () => number;
  /** Maximum number of calls between two user messages; null for no limit. */
  readonly callsMax: number | null;
  /** Interrupts the host that started this hook. */
  readonly interrupt?: (program: InterruptibleProgram) => void;
};

/** Returns a hook's answer: one line of JSON in the host's format, or an empty string. */
export function answerHook(
  host: HookHost,
  text: string,
  { states, now, callsMax, interrupt }: HookContext,
): string {
  const { session, agent, event, hookEvent } = parseHookInput(host, text);
  const agentKey = { host: host.name, session, agent };
  if (hookEvent.type === 'other') return '';
  if (hookEvent.type === 'ended') {
    states.remove(agentKey);
    return '';
  }
  const decision = states.change(agentKey, (before) => {
    const { reportsModelCalls = false } = host;
    const limits = { callsMax, isSubAgent: agent !== '', reportsModelCalls };
    const { state, decision: result } = judgeHookEvent(before, hookEvent, now(), limits);
    const wasStopped = before.finish?.isStopped === true;
    const activity = hookEvent.type === 'choosing' ? null : getActivityKind(hookEvent, result, wasStopped);
    return { state, result, activity };
  });
  if (decision.kind === 'stop' && host.interruptible !== undefined) interrupt?.(host.interruptible);
  const answer = host.answer(event, decision);
  return answer === null ? '' : `${JSON.stringify(answer)}\n`;
}

/** Of a host that ignores a stop, only the calls that are denied count from then on. */
function getActivityKind(
  { type }: HookEvent,
  { kind }: HookDecision,
  wasStopped: boolean,
): 'advice' | 'denials' | 'stops' | null {
  switch (kind) {
    case 'nothing':
      return null;
    case 'advise':
      return 'advice';
    case 'deny':
      return 'denials';
    case 'stop':
      if (!wasStopped) return 'stops';
      return type === 'calling' ? 'denials' : null;
    default:
      return kind satisfies never;
  }
}

type JudgeableHookEvent = Exclude<HookEvent, { readonly type: 'other' | 'ended' }>;

function judgeHookEvent(
  state: HookState,
  hookEvent: JudgeableHookEvent,
  at: number,
  limits: HookLimits,
): HookJudgment {
  switch (hookEvent.type) {
    case 'prompted':
      return { state: resetHookState(state, hookEvent.text), decision: { kind: 'nothing' } };
    case 'calling':
      return judgeHookCall(state, hookEvent.call, limits);
    case 'called': {
      const judgment = recordHookCall(state, hookEvent.call, hookEvent.outcome, at);
      return hookEvent.isReplyComplete === true
        ? { ...judgment, state: markModelTold(judgment.state) }
        : judgment;
    }
    case 'choosing':
      return {
        state: markModelTold(state),
        decision: state.finish === null ? { kind: 'nothing' } : { kind: 'stop', text: state.finish.reason },
      };
    case 'continuing':
      return judgeModelCall(state, limits);
    default:
      return hookEvent satisfies never;
  }
}
