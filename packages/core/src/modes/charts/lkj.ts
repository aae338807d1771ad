import { memoryActions } from '../../memory/memory-action.ts';
import { memorySettings } from '../../memory/settings.ts';
import { defineChart } from '../define-chart.ts';
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
  const choices = ['thinking', 'commanding', 'evaluating'] as const;
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
        // The paging limit is checked here only; the hard limit applies before every model call.
        next: [...choices, 'paging'],
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
