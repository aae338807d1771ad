import type { ToolCall, Json } from '../../src/index.ts';
import {
  finishRequested,
  failureOutcome,
  createCall,
  toolFinished,
  contextOverflowed,
  modelReplied,
  userMessage,
  successOutcome,
} from '../helpers/event-builders.ts';
import type { UntimedEvent } from '../helpers/run-events.ts';
import { extendEvent, createServedScenario, type LogScenario } from './log-scenario.ts';
import type { SessionFactory } from './turn-scenarios.ts';

const createSearchReply = (query: string): UntimedEvent =>
  modelReplied('', { tool: 'search', args: { query } });

export function createSearchScenarios(startSession: SessionFactory): readonly LogScenario[] {
  return [
    createServedScenario(
      'savant-search',
      'Searching, analysing, deciding, finishing; a call the mode does not allow.',
      startSession('savant'),
      {
        script: [
          userMessage('Where is the shed?'),
          createSearchReply('shed'),
          modelReplied('', createCall('b', 'bash')),
          modelReplied('It is in the garden.'),
          modelReplied('', createCall('c', 'bash')),
          createSearchReply('garden'),
          modelReplied('The garden is behind the house.'),
          modelReplied('', { id: 'd', tool: 'finish', args: { summary: 'garden' } }),
          modelReplied('In the garden.'),
          userMessage('And the key?'),
          modelReplied('In the shed.'),
        ],
        run: ({ id, tool }) =>
          toolFinished(id, tool === 'bash' ? failureOutcome('no') : successOutcome(`found by ${id}`)),
      },
    ),
    createServedScenario(
      'savant-circles',
      'The same search again and again, until only finishing is left.',
      startSession('savant'),
      {
        script: [
          userMessage('Where is the shed?'),
          ...Array.from({ length: 6 }, () => createSearchReply('shed')),
          modelReplied('It is not there.'),
          userMessage('Look again.'),
        ],
        run: ({ id }) => toolFinished(id, successOutcome('nothing')),
      },
    ),
    createServedScenario(
      'savant-overdue',
      'A mode that is stayed in for far too long.',
      startSession('savant'),
      {
        script: [
          userMessage('Where is the shed?'),
          createSearchReply('shed'),
          { ...createSearchReply('garden'), at: 90_000 },
          { ...modelReplied('It may be there.'), at: 200_000 },
          { ...createSearchReply('house'), at: 300_000 },
          modelReplied('So be it.'),
        ],
        run: ({ id }) => toolFinished(id, successOutcome(`found by ${id}`)),
      },
    ),
  ];
}

/** A reply of the librarian: what comes next, and one action at most. */
function createLibrarianReply(
  nextState: string,
  logs: ReplyLogs,
  action?: readonly [tool: string, args: Json],
): UntimedEvent {
  const calls = action === undefined ? [] : [{ tool: action[0], args: action[1] }];
  return { type: 'model-replied', text: '', calls, nextState, logs };
}

type ReplyLogs = { readonly think?: string; readonly evaluation?: string };

const thinkLog = { think: 'The shed is in the garden.' };
const createLargeEntry = (tags: string): Json => ({ tags, value: 'lumber '.repeat(1_200) });
const storedShed = { key: 'garden_shed', value: 'The door is green.', kind: 'entry', savedAt: 5 } as const;

export function createLibrarianScenarios(startSession: SessionFactory): readonly LogScenario[] {
  return [
    createServedScenario(
      'lkj-librarian',
      'Thinking, commanding, evaluating and paging, with every action on memory.',
      startSession('lkj'),
      {
        script: [
          userMessage('Keep the shed in mind.'),
          createLibrarianReply('commanding', thinkLog),
          createLibrarianReply('evaluating', {}, [
            'working_memory_add',
            { tags: 'garden shed', value: 'The door is green.' },
          ]),
          createLibrarianReply('commanding', { evaluation: 'It is kept.' }),
          createLibrarianReply('evaluating', {}, ['working_memory_pin', { tags: 'garden,shed' }]),
          createLibrarianReply('commanding', { evaluation: 'It stays.' }),
          createLibrarianReply('commanding', {}, ['storage_search', { value: 'door' }]),
          createLibrarianReply('commanding', { evaluation: 'Found.' }),
          ...['lumber_one', 'lumber_two', 'lumber_three', 'lumber_four', 'lumber_five'].flatMap((tags) => [
            createLibrarianReply('commanding', { evaluation: 'More of it.' }),
            createLibrarianReply('commanding', {}, ['working_memory_add', createLargeEntry(tags)]),
          ]),
          createLibrarianReply('nowhere', {}, ['bash', { command: 'ls' }]),
          createLibrarianReply('commanding', thinkLog),
          createLibrarianReply('commanding', {}, ['storage_load', { tags: 'garden_shed' }]),
          extendEvent(createLibrarianReply('thinking', {}), { problem: 'The reply is no XML.' }),
          createLibrarianReply('commanding', thinkLog),
          createLibrarianReply('thinking', {}, ['working_memory_remove', { tags: 'nothing' }]),
          createLibrarianReply('paging', thinkLog),
          createLibrarianReply('commanding', thinkLog),
          createLibrarianReply('thinking', {}, ['working_memory_unpin', { tags: 'garden_shed' }]),
          createLibrarianReply('commanding', thinkLog),
          createLibrarianReply('thinking', {}, ['working_memory_list', {}]),
          createLibrarianReply('commanding', thinkLog),
          createLibrarianReply('thinking', {}, ['storage_save', { tags: 'garden_shed' }]),
          contextOverflowed(),
          finishRequested('enough'),
          modelReplied('The door is green.'),
          modelReplied('It still is.'),
        ],
        run: answerFromStorage,
      },
    ),
    createServedScenario(
      'lkj1-librarian',
      'The first version: thinking, executing and paging, until its cycles are used up.',
      startSession('lkj1', librarianOptions),
      {
        script: [
          userMessage('Keep the shed in mind.'),
          ...['lumber_one', 'lumber_two', 'lumber_three', 'lumber_four'].flatMap((tags) => [
            createLibrarianReply('executing', { think: 'More of it.' }),
            createLibrarianReply('thinking', {}, ['working_memory_add', createLargeEntry(tags)]),
          ]),
          createLibrarianReply('executing', { think: 'And away.' }),
          createLibrarianReply('thinking', {}, ['storage_search', { value: 'door' }]),
          createLibrarianReply('executing', thinkLog),
          createLibrarianReply('thinking', {}, [
            'storage_save',
            { tags: 'garden_shed', value: 'The door is green.' },
          ]),
          createLibrarianReply('executing', thinkLog),
          createLibrarianReply('thinking', {}, ['storage_load', { tags: 'garden_shed' }]),
          createLibrarianReply('thinking', thinkLog),
          createLibrarianReply('thinking', thinkLog),
        ],
        run: answerFromStorage,
      },
    ),
    createServedScenario(
      'pawl-memory',
      'Working memory of the default profile, pinned beyond what paging can free.',
      startSession('pawl'),
      {
        script: [
          userMessage('Keep it all.'),
          ...['one', 'two', 'three', 'four', 'five'].flatMap((tags, index) => [
            modelReplied('', { id: `add${index}`, tool: 'working_memory_add', args: createLargeEntry(tags) }),
            modelReplied('', { id: `pin${index}`, tool: 'working_memory_pin', args: { tags } }),
          ]),
          modelReplied('', { id: 'load', tool: 'storage_load', args: { tags: 'garden_shed' } }),
          modelReplied('Kept.'),
        ],
        run: answerFromStorage,
      },
    ),
  ];
}

/** What is asked of storage finds the same entry every time; what is not there to remove is said to be missing. */
function answerFromStorage({ id, tool }: ToolCall): UntimedEvent {
  if (tool === 'working_memory_remove')
    return toolFinished(id, failureOutcome('There is nothing.', 'invalid'));
  const match = tool === 'storage_load' || tool === 'storage_search' ? [storedShed] : [];
  return extendEvent(toolFinished(id, successOutcome('done')), { found: match });
}

const librarianBudgets = { modelCalls: 16, toolCalls: null, tokens: null, cost: null, wallMs: null };
const librarianOptions = { settings: { budgets: librarianBudgets } };
