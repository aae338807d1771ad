import { parseHookInput, type HookEvent, type HookHost } from './hook-event.ts';
import {
  recordHookCall,
  resetHookState,
  judgeHookCall,
  type HookJudgment,
  type HookState,
} from './hook-state.ts';
import type { HookStateStore } from './hook-state-store.ts';

export type HookContext = {
  readonly minds: HookStateStore;
  readonly now: () => number;
  /** Maximum number of calls between two user messages; null for no limit. */
  readonly callsMax: number | null;
};

/** Returns a hook's answer: one line of JSON in the host's format, or an empty string. */
export function answerHook(host: HookHost, text: string, { minds, now, callsMax }: HookContext): string {
  const { session, agent, event, fact } = parseHookInput(host, text);
  const who = { host: host.name, session, agent };
  if (fact.type === 'other') return '';
  if (fact.type === 'ended') {
    minds.forget(who);
    return '';
  }
  const word = minds.change(who, (before) => {
    const { mind, word: result } = judgeHookEvent(before, fact, now(), callsMax);
    return { mind, result };
  });
  const answer = host.answer(event, word);
  return answer === null ? '' : `${JSON.stringify(answer)}\n`;
}

type JudgeableHookEvent = Exclude<HookEvent, { readonly type: 'other' | 'ended' }>;

function judgeHookEvent(
  mind: HookState,
  fact: JudgeableHookEvent,
  at: number,
  callsMax: number | null,
): HookJudgment {
  switch (fact.type) {
    case 'prompted':
      return { mind: resetHookState(), word: { kind: 'nothing' } };
    case 'calling':
      return judgeHookCall(mind, fact.call, callsMax);
    case 'called':
      return recordHookCall(mind, fact.call, fact.outcome, at);
    case 'choosing':
      return {
        mind,
        word: mind.finish === null ? { kind: 'nothing' } : { kind: 'stop', text: mind.finish.because },
      };
    default:
      return fact satisfies never;
  }
}
