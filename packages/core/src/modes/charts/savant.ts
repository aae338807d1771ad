import { listSavantSuccessors, savantStates, savantTools } from '@pawl/governor/session-tracker';
import type { SavantState } from '@pawl/governor/tracker';
import { type ModeStateInput, defineChart } from '../define-chart.ts';
import type { ModeChart } from '../mode-chart.ts';

export type SavantOptions = {
  readonly searchTools?: readonly string[] | undefined;
  readonly finishTools?: readonly string[] | undefined;
  /** Allows the transition from deciding back to analyzing. */
  readonly lenient?: boolean | undefined;
};

/** A chart for agents that search. Choosing a tool while analyzing is a decision, so it passes through deciding. */
export function createSavantChart(options: SavantOptions = {}): ModeChart<SavantState> {
  const { searchTools = savantTools.search, finishTools = savantTools.finish, lenient = false } = options;
  const toolsByKind = { search: searchTools, finish: finishTools, any: '*', none: [] } as const;
  const createState = (name: SavantState, details: SavantStateDetails): ModeStateInput<SavantState> => {
    const { tools, timeoutMs, stuckState } = savantStates[name];
    return {
      name,
      tools: toolsByKind[tools],
      next: listSavantSuccessors(name, { lenient }),
      ...(timeoutMs !== null && { timeoutMs }),
      ...(stuckState !== null && { stuckState }),
      ...details,
    };
  };
  return defineChart<SavantState>({
    name: 'savant',
    initial: 'INIT',
    finish: { tools: finishTools, state: 'FINISHING' },
    states: [
      createState('INIT', {
        stuckAfterSteps,
        prompt: 'No work has been done yet. Start with a search, unless you already know what to do.',
      }),
      createState('SEARCHING', {
        afterText: 'ANALYZING',
        stuckAfterSteps,
        prompt: 'Collect the information the task needs. Never repeat a search.',
      }),
      createState('ANALYZING', {
        stuckAfterSteps,
        prompt: 'Analyze the search results: what do they answer, and what is missing?',
      }),
      createState('DECIDING', {
        stuckAfterSteps,
        stuckAfterFailures: 3,
        prompt: 'Choose the next step: use a tool, search for missing information, or finish.',
      }),
      createState('STUCK_SEARCH', stuckDetails),
      createState('STUCK_ANALYZE', stuckDetails),
      createState('STUCK_DECIDE', stuckDetails),
      createState('FINISHING', { terminal: true, prompt: 'Answer with the information you have.' }),
    ],
  });
}

type SavantStateDetails = Pick<
  ModeStateInput<SavantState>,
  'prompt' | 'afterText' | 'stuckAfterSteps' | 'stuckAfterFailures' | 'terminal'
>;

/** Step limit of every non-terminal state. */
const stuckAfterSteps = 5;

const stuckDetails: SavantStateDetails = {
  stuckAfterSteps,
  prompt: 'The work is stuck. Finish now: summarize the findings and what is still open.',
};
