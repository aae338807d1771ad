import type { WaitObservation } from '../observations/observation.ts';
import type { ObservationRule } from './rule.ts';
import { takeTailWhile } from './window-queries.ts';

/** Assumed duration of one poll if no time was recorded. */
const secondsPerPoll = 60;

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

/** Paging that frees too little. */
export const fruitlessPaging: ObservationRule<'paging'> = {
  id: 'fruitless-paging',
  rationale:
    'Paging that frees less than a tenth, or too little for the next model call, has nothing left to move. A second ' +
    'fruitless attempt confirms it, and the model could not be called anyway.',
  on: 'paging',
  unit: 'times',
  thresholds: { advise: null, block: null, stop: 2 },
  match(window) {
    const evidence = takeTailWhile(window, (each) => each.fruitless);
    return {
      count: evidence.length,
      evidence,
      loop: 'fruitless-paging',
      reason: `room was made ${evidence.length} times in a row and hardly any was gained`,
      advice: 'There is no room left. Ask for less at once, or unpin what is not needed.',
    };
  },
};

/** A mode that lasts longer than its chart allows. */
export const overdueMode: ObservationRule<'mode'> = {
  id: 'overdue-mode',
  rationale:
    'The mode chart limits the steps, the time and the failures of each mode. Advice is given at the limit; three ' +
    'replies later the agent is not going to leave the mode by itself.',
  on: 'mode',
  unit: 'replies beyond the limit',
  thresholds: { advise: 1, block: null, stop: 3 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    const evidence = takeTailWhile(window, (each) => each.state === last.state && each.since === last.since);
    return {
      count: evidence.length,
      evidence,
      loop: `${last.state} ${last.since}`,
      reason: last.reason,
      advice: `You have been in this phase for too long: ${last.reason}. Go on to the next one, or finish with what you have.`,
    };
  },
};
