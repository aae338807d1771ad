import { defineChart } from '../define-chart.ts';
import type { ModeChart } from '../mode-chart.ts';

/**
 * The kind of step a searching agent takes. It searches, analyzes the results, decides and finishes; from a stuck state
 * it can only finish.
 */
export type SavantState =
  | 'INIT'
  | 'SEARCHING'
  | 'ANALYZING'
  | 'DECIDING'
  | 'STUCK_SEARCH'
  | 'STUCK_ANALYZE'
  | 'STUCK_DECIDE'
  | 'FINISHING';

export type SavantOptions = {
  readonly searchTools?: readonly string[] | undefined;
  readonly finishTools?: readonly string[] | undefined;
  /** Allows the transition from deciding back to analyzing. */
  readonly lenient?: boolean | undefined;
};

export const savantTools = {
  search: ['context.fts_search', 'context.memory_search'],
  finish: ['finish'],
} as const;

/** A chart for agents that search. Choosing a tool while analyzing is a decision, so it passes through deciding. */
export function createSavantChart(options: SavantOptions = {}): ModeChart<SavantState> {
  const { searchTools = savantTools.search, finishTools = savantTools.finish, lenient = false } = options;
  const stuck = {
    tools: finishTools,
    next: ['FINISHING'],
    timeoutMs: 10_000,
    stuckAfterSteps,
    prompt: 'The work is stuck. Finish now: summarize the findings and what is still open.',
  } as const;
  return defineChart<SavantState>({
    name: 'savant',
    initial: 'INIT',
    finish: { tools: finishTools, state: 'FINISHING' },
    states: [
      {
        name: 'INIT',
        next: ['SEARCHING', 'DECIDING', 'FINISHING'],
        stuckAfterSteps,
        prompt: 'No work has been done yet. Start with a search, unless you already know what to do.',
      },
      {
        name: 'SEARCHING',
        tools: searchTools,
        next: ['ANALYZING', 'STUCK_SEARCH', 'FINISHING'],
        afterWords: 'ANALYZING',
        stuckState: 'STUCK_SEARCH',
        timeoutMs: 60_000,
        stuckAfterSteps,
        prompt: 'Collect the information the task needs. Never repeat a search.',
      },
      {
        name: 'ANALYZING',
        next: ['DECIDING', 'STUCK_ANALYZE', 'FINISHING'],
        stuckState: 'STUCK_ANALYZE',
        timeoutMs: 30_000,
        stuckAfterSteps,
        prompt: 'Analyze the search results: what do they answer, and what is missing?',
      },
      {
        name: 'DECIDING',
        tools: '*',
        next: ['SEARCHING', 'FINISHING', 'STUCK_DECIDE', ...(lenient ? (['ANALYZING'] as const) : [])],
        stuckState: 'STUCK_DECIDE',
        timeoutMs: 45_000,
        stuckAfterSteps,
        stuckAfterFailures: 3,
        prompt: 'Choose the next step: use a tool, search for missing information, or finish.',
      },
      { name: 'STUCK_SEARCH', ...stuck },
      { name: 'STUCK_ANALYZE', ...stuck },
      { name: 'STUCK_DECIDE', ...stuck },
      {
        name: 'FINISHING',
        terminal: true,
        timeoutMs: 5_000,
        prompt: 'Answer with the information you have.',
      },
    ],
  });
}

/** Step limit of every non-terminal state. */
const stuckAfterSteps = 5;
