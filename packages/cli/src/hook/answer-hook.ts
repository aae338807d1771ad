import { readInput, type HookFact, type Host } from './fact.ts';
import { afterCall, afterPrompt, beforeCall, type Judged, type Mind } from './mind.ts';
import type { Minds } from './minds.ts';

export type HookSetting = {
  readonly minds: Minds;
  readonly now: () => number;
  /** How many calls there may be between two words of the user; null for no limit. */
  readonly callsMax: number | null;
};

/** What a hook answers: a line of JSON in its host's own form, or nothing at all. */
export function answerHook(host: Host, text: string, { minds, now, callsMax }: HookSetting): string {
  const { session, agent, event, fact } = readInput(host, text);
  const who = { host: host.name, session, agent };
  if (fact.type === 'other') return '';
  if (fact.type === 'ended') {
    minds.forget(who);
    return '';
  }
  const word = minds.change(who, (before) => {
    const { mind, word: result } = judged(before, fact, now(), callsMax);
    return { mind, result };
  });
  const answer = host.answer(event, word);
  return answer === null ? '' : `${JSON.stringify(answer)}\n`;
}

type Judgeable = Exclude<HookFact, { readonly type: 'other' | 'ended' }>;

function judged(mind: Mind, fact: Judgeable, at: number, callsMax: number | null): Judged {
  switch (fact.type) {
    case 'prompted':
      return { mind: afterPrompt(), word: { kind: 'nothing' } };
    case 'calling':
      return beforeCall(mind, fact.call, callsMax);
    case 'called':
      return afterCall(mind, fact.call, fact.outcome, at);
    case 'choosing':
      return {
        mind,
        word: mind.finish === null ? { kind: 'nothing' } : { kind: 'stop', text: mind.finish.because },
      };
    default:
      return fact satisfies never;
  }
}
