import { nexoraVerdicts } from './nexora/rules.ts';
import type { NexoraMind } from './nexora/mind.ts';
import type { TrackerMind } from './presets.ts';
import type { SavantMind } from './savant/mind.ts';
import type { TrackerVerdict } from './verdict.ts';

/** What whoever runs the loop does about a verdict: tell the model, look for a way out, halt, or end with an answer. */
export type Judgement = {
  readonly verdict: TrackerVerdict;
  readonly response: 'advise' | 'recover' | 'halt' | 'finish';
};

/** What to do about what a tracker knows now. `found` is what has just come up; `hasEnded` says whether a call did. */
export function judge(
  mind: TrackerMind,
  found: readonly TrackerVerdict[],
  hasEnded: boolean,
): Judgement | null {
  switch (mind.kind) {
    case 'nexora':
      return judgeNexora(mind, found, hasEnded);
    case 'savant':
      return judgeSavant(mind, found);
    case 'pawl':
      // Its rules are those of the session, which has no need of a tracker for them.
      return null;
    default:
      return mind satisfies never;
  }
}

/** As long as something hard holds, each call that ends asks for a way out once more, where there can be one. */
function judgeNexora(
  mind: NexoraMind,
  found: readonly TrackerVerdict[],
  hasEnded: boolean,
): Judgement | null {
  const hard = hasEnded ? nexoraVerdicts(mind).find(({ level }) => level === 'stuck') : undefined;
  if (hard !== undefined) {
    const isRecoverable = mind.config.recoverableRules.includes(hard.rule);
    return { verdict: hard, response: isRecoverable ? 'recover' : 'halt' };
  }
  const [soft] = found;
  return soft === undefined ? null : { verdict: soft, response: 'advise' };
}

/** What the agent is stopped for ends the work; anything else that comes up is the word it may have first. */
function judgeSavant({ held, finish }: SavantMind, found: readonly TrackerVerdict[]): Judgement | null {
  const stop = held ?? (finish?.reason === 'stuck_detection' ? finish.verdict : null);
  if (stop !== null) {
    return { verdict: { ...stop, reason: `stuck_detection: ${stop.reason}` }, response: 'finish' };
  }
  const [soft] = found;
  return soft === undefined ? null : { verdict: soft, response: 'advise' };
}
