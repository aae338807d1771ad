import { listSavantSuccessors, savantStates, savantTools } from '@pawl/governor/session-tracker';
import type { SavantState } from '@pawl/governor/tracker';
import { memoryActions } from '../../memory/memory-action.ts';
import { memorySettings } from '../../memory/settings.ts';
import { defineChart, type ModeStateInput } from '../define-chart.ts';
import type { ModeChart, ModeState } from '../mode-chart.ts';

export type LkjState = 'thinking' | 'commanding' | 'evaluating' | 'paging';
export type Lkj1State = 'thinking' | 'executing' | 'paging';

export type LkjOptions = {
  /** The available actions in every state; `*` is any. */
  readonly actions?: ModeState['tools'] | undefined;
  /** Maximum number of cycles; null for no limit. */
  readonly maxIterations?: number | null | undefined;
};

/** Settings both versions share: the reply decides, one action at a time, and an invalid reply resets to thinking. */
const sharedLkjChart = {
  initial: 'thinking',
  onInvalid: { resetTo: 'thinking' },
  paging: { state: 'paging', next: 'thinking' },
  oneAction: true,
} as const;

const lkjPagingState = {
  name: 'paging',
  next: ['thinking'],
  prompt: 'Working memory is full. Entries that are not needed now are moved to storage.',
} as const;

const librarianRole =
  'You are a librarian that works as a state machine: your working memory is small, your storage is unlimited. Keep in working memory what the task needs, save the rest to storage, and load it again when it is needed.';

/** The LKJ librarian: thinks, issues a command, evaluates the result, and pages when memory is full. */
export function createLkjChart(options: LkjOptions = {}): ModeChart<LkjState> {
  const { actions = memorySettings.lkj.actions, maxIterations = 1_000 } = options;
  const choices = ['thinking', 'commanding', 'evaluating', 'paging'] as const;
  return defineChart<LkjState>({
    ...sharedLkjChart,
    name: 'lkj',
    transitions: { by: 'reply', otherwise: 'thinking', afterAction: 'evaluating', afterFailure: 'thinking' },
    maxIterations,
    prompt: `${librarianRole} Choose the next state with next_state.`,
    states: [
      {
        name: 'thinking',
        next: choices,
        prompt:
          'Reason step by step and record it in think_log. Then choose the next state: thinking to continue, commanding to act, evaluating to review the results.',
      },
      {
        name: 'commanding',
        aliases: ['executing'],
        tools: actions,
        next: choices,
        prompt: `Request one action with type and tags, and a value if the action needs one.${describeActions(actions)}`,
      },
      {
        name: 'evaluating',
        next: choices,
        prompt:
          'Evaluate the result of the last action and record it in evaluation_log. Then choose the next state.',
      },
      lkjPagingState,
    ],
  });
}

/** The first version of the librarian: thinks and acts. */
export function createLkj1Chart(options: LkjOptions = {}): ModeChart<Lkj1State> {
  const { actions = memorySettings.lkj1.actions, maxIterations = 1_000 } = options;
  return defineChart<Lkj1State>({
    ...sharedLkjChart,
    name: 'lkj1',
    transitions: { by: 'reply', otherwise: 'thinking', afterAction: 'thinking', afterFailure: 'thinking' },
    maxIterations,
    prompt: `${librarianRole} Include next_state and thinking_log in each reply.`,
    states: [
      {
        name: 'thinking',
        next: ['thinking', 'executing', 'paging'],
        prompt:
          'Build a chain of reasoning and add to it with thinking_log. Then choose the next state: thinking to continue, executing to act.',
      },
      {
        name: 'executing',
        aliases: ['commanding'],
        tools: actions,
        next: ['thinking', 'paging'],
        prompt: `Execute one action with type and tags, and a value if the action needs one.${describeActions(actions)}`,
      },
      lkjPagingState,
    ],
  });
}

/** Lists the available actions; custom actions are described where they are defined. */
function describeActions(actions: ModeState['tools']): string {
  if (actions === '*') return '';
  const known = new Map<string, string>(Object.entries(memoryActions));
  return actions.map((name) => `\n- ${name}${known.has(name) ? `: ${known.get(name)}` : ''}`).join('');
}

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

/** A chart with a single mode that allows everything, for agents without modes. */
const loopChart: ModeChart<'working'> = defineChart({
  name: 'loop',
  initial: 'working',
  onInvalid: 'ignore',
  states: [{ name: 'working', tools: '*', next: ['working'] }],
});

/** The built-in charts. `createSavantChart` and similar functions create them with other tools or limits. */
export const modeCharts: {
  readonly savant: ModeChart<SavantState>;
  readonly lkj: ModeChart<LkjState>;
  readonly lkj1: ModeChart<Lkj1State>;
  readonly loop: ModeChart<'working'>;
} = { savant: createSavantChart(), lkj: createLkjChart(), lkj1: createLkj1Chart(), loop: loopChart };

export function findModeChart(name: string): ModeChart | undefined {
  return Object.values<ModeChart>(modeCharts).find((chart) => chart.name === name);
}
