import { durationMs } from '../machine.ts';
import type { SavantMind } from './mind.ts';
import type { SavantState } from './states.ts';

/** What the model is told to do instead. A repeated query is quoted back, whatever state it was found in. */
export function savantAdvice(mind: SavantMind, rule: string, at: number): string {
  if (rule === 'repeated_query') return repeatedQuery(mind);
  return byState(mind.machine.state, mind, at);
}

function repeatedQuery({ queries, searches }: SavantMind): string {
  const query = queries.at(-1)?.query ?? '';
  return `"${query}" is what you searched for last time too, and ${count(searches)} have been made. Finish now with what there is, or say that it cannot be found.`;
}

function byState(state: SavantState, mind: SavantMind, at: number): string {
  const { machine, searches } = mind;
  const stay = `${machine.stateSteps} steps and ${durationMs(machine, at)}ms`;
  switch (state) {
    case 'SEARCHING':
    case 'STUCK_SEARCH':
      return `${count(searches)} so far, and one more will hardly help. Finish with what you have found by searching, or move on to the analysis of it.`;
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

function count(searches: number): string {
  return `${searches} ${searches === 1 ? 'search' : 'searches'}`;
}
