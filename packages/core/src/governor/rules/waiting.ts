import type { Observation } from '../observation.ts';
import type { RuleOn } from '../rule.ts';
import { isSame, tailWhile } from './tail.ts';

/** Where nobody recorded the time, looking once more is taken for waiting this long. */
const secondsPerLook = 30;

/** Looking again and again whether something is done. */
export const waiting: RuleOn<'waiting'> = {
  id: 'waiting',
  because:
    'Asking whether something is done is not a loop: it is waiting, and what bounds it is time, not how often one looks. ' +
    'As long as the answer moves, it may go on. A minute of looking at the same answer deserves a word, half an hour an end.',
  on: 'waiting',
  unit: 'seconds',
  thresholds: { advise: 60, refuse: null, finish: 1_800 },
  look(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    const evidence = tailWhile(window, (each) => isSame(each, last));
    const seconds = secondsOf(evidence);
    return {
      count: seconds,
      evidence,
      loop: last.call,
      reason: `${last.tool} has been asked for ${seconds} s whether something is done, and the answer has not changed`,
      advice: `You have looked ${evidence.length} times and the answer has not changed. Wait once, with one call that blocks until it is done or a good while has passed, or do something else meanwhile.`,
    };
  },
};

function secondsOf(looks: readonly Observation[]): number {
  const from = looks[0]?.at ?? null;
  const to = looks.at(-1)?.at ?? null;
  if (from === null || to === null) return (looks.length - 1) * secondsPerLook;
  return Math.floor(Math.max(0, to - from) / 1_000);
}
