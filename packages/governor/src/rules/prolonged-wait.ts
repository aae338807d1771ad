import type { ObservationRule } from './rule.ts';
import type { WaitObservation } from '../observations/observation.ts';

/** Assumed duration of one poll if no time was recorded. */
const secondsPerPoll = 30;

/** Repeated polling for something to be done. */
export const prolongedWait: ObservationRule<'wait'> = {
  id: 'waiting',
  rationale:
    'Polling for a result is not a loop: it is limited by time, not by the number of polls, and it may continue as ' +
    'long as the answer changes. An unchanged answer earns advice after a minute and a stop after half an hour.',
  on: 'wait',
  unit: 'seconds',
  thresholds: { advise: 60, block: null, stop: 1_800 },
  match(window) {
    const wait = window.at(-1);
    if (wait === undefined) return null;
    const { first, last, polls } = wait;
    const seconds = computeWaitSeconds(wait);
    return {
      count: seconds,
      evidence: polls === 1 ? [first] : [first, last],
      loop: last.call,
      reason: `${last.tool} has been asked for ${seconds} s whether something is done, and the answer has not changed`,
      advice: `You have looked ${polls} times and the answer has not changed. Wait once, with one call that blocks until it is done or a good while has passed, or do something else meanwhile.`,
    };
  },
};

function computeWaitSeconds({ first, last, polls }: WaitObservation): number {
  if (first.at === null || last.at === null) return (polls - 1) * secondsPerPoll;
  return Math.floor(Math.max(0, last.at - first.at) / 1_000);
}
