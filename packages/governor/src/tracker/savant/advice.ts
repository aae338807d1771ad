import { computeStateDuration } from '../tracker-machine.ts';
import type { SavantDetectorState } from './detector-state.ts';
import type { SavantState } from './states.ts';

/** Builds the advice for the model. A repeated query is quoted, whatever the state. */
export function buildSavantAdvice(mind: SavantDetectorState, rule: string, at: number): string {
  if (rule === 'repeated_query') return adviseRepeatedQuery(mind);
  return adviseByState(mind.machine.state, mind, at);
}

function adviseRepeatedQuery({ queries, searches }: SavantDetectorState): string {
  const query = queries.at(-1)?.query ?? '';
  return `"${query}" is what you searched for last time too, and ${formatSearchCount(searches)} have been made. Finish now with what there is, or say that it cannot be found.`;
}

function adviseByState(state: SavantState, mind: SavantDetectorState, at: number): string {
  const { machine, searches } = mind;
  const stay = `${machine.stateSteps} steps and ${computeStateDuration(machine, at)}ms`;
  switch (state) {
    case 'SEARCHING':
    case 'STUCK_SEARCH':
      return `${formatSearchCount(searches)} so far, and one more will hardly help. Finish with what you have found by searching, or move on to the analysis of it.`;
    case 'ANALYZING':
    case 'STUCK_ANALYZE':
      return `The analysis has gone on for ${stay}. What you know has to do: finish, and sum it up.`;
    case 'DECIDING':
    case 'STUCK_DECIDE':
      return `The decision has gone on for ${stay}, with ${mind.failedDecisions} failed. Make one decision and stand by it, or finish.`;
    case 'INIT':
      return `Nothing has been begun in ${stay}. Finish with the best answer you have.`;
    case 'FINISHING':
      return 'Finish.';
    default:
      return state satisfies never;
  }
}

function formatSearchCount(searches: number): string {
  return `${searches} ${searches === 1 ? 'search' : 'searches'}`;
}
