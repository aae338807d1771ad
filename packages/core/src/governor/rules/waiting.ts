import type { RuleOn } from '../rule.ts';
import type { Wait } from '../sighting.ts';

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
    const wait = window.at(-1);
    if (wait === undefined) return null;
    const { first, last, looks } = wait;
    const seconds = secondsOf(wait);
    return {
      count: seconds,
      evidence: looks === 1 ? [first] : [first, last],
      loop: last.call,
      reason: `${last.tool} has been asked for ${seconds} s whether something is done, and the answer has not changed`,
      advice: `You have looked ${looks} times and the answer has not changed. Wait once, with one call that blocks until it is done or a good while has passed, or do something else meanwhile.`,
    };
  },
};

function secondsOf({ first, last, looks }: Wait): number {
  if (first.at === null || last.at === null) return (looks - 1) * secondsPerLook;
  return Math.floor(Math.max(0, last.at - first.at) / 1_000);
}
