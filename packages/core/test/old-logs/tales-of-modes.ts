import type { Call, Json } from '../../src/index.ts';
import {
  asksToFinish,
  broke,
  call,
  finishes,
  overflows,
  replies,
  says,
  worked,
} from '../helpers/happenings.ts';
import type { Happening } from '../helpers/tell.ts';
import { saying, serve, type Tale } from './tale.ts';
import type { Begin } from './tales-of-turns.ts';

const searches = (query: string): Happening => replies('', { tool: 'search', args: { query } });

export function searchTales(begin: Begin): readonly Tale[] {
  return [
    serve(
      'savant-search',
      'Searching, analysing, deciding, finishing; a call the mode does not allow.',
      begin('savant'),
      {
        script: [
          says('Where is the shed?'),
          searches('shed'),
          replies('', call('b', 'bash')),
          replies('It is in the garden.'),
          replies('', call('c', 'bash')),
          searches('garden'),
          replies('The garden is behind the house.'),
          replies('', { id: 'd', tool: 'finish', args: { summary: 'garden' } }),
          replies('In the garden.'),
          says('And the key?'),
          replies('In the shed.'),
        ],
        run: ({ id, tool }) => finishes(id, tool === 'bash' ? broke('no') : worked(`found by ${id}`)),
      },
    ),
    serve(
      'savant-circles',
      'The same search again and again, until only finishing is left.',
      begin('savant'),
      {
        script: [
          says('Where is the shed?'),
          ...Array.from({ length: 6 }, () => searches('shed')),
          replies('It is not there.'),
          says('Look again.'),
        ],
        run: ({ id }) => finishes(id, worked('nothing')),
      },
    ),
    serve('savant-overdue', 'A mode that is stayed in for far too long.', begin('savant'), {
      script: [
        says('Where is the shed?'),
        searches('shed'),
        { ...searches('garden'), at: 90_000 },
        { ...replies('It may be there.'), at: 200_000 },
        { ...searches('house'), at: 300_000 },
        replies('So be it.'),
      ],
      run: ({ id }) => finishes(id, worked(`found by ${id}`)),
    }),
  ];
}

/** A reply of the librarian: what comes next, and one action at most. */
function librarian(nextState: string, logs: Logs, action?: readonly [tool: string, args: Json]): Happening {
  const calls = action === undefined ? [] : [{ tool: action[0], args: action[1] }];
  return { type: 'model-replied', text: '', calls, nextState, logs };
}

type Logs = { readonly think?: string; readonly evaluation?: string };

const thought = { think: 'The shed is in the garden.' };
const much = (tags: string): Json => ({ tags, value: 'lumber '.repeat(1_200) });
const shelved = { key: 'garden_shed', value: 'The door is green.', kind: 'entry', savedAt: 5 } as const;

export function librarianTales(begin: Begin): readonly Tale[] {
  return [
    serve(
      'lkj-librarian',
      'Thinking, commanding, evaluating and paging, with every action on memory.',
      begin('lkj'),
      {
        script: [
          says('Keep the shed in mind.'),
          librarian('commanding', thought),
          librarian('evaluating', {}, [
            'working_memory_add',
            { tags: 'garden shed', value: 'The door is green.' },
          ]),
          librarian('commanding', { evaluation: 'It is kept.' }),
          librarian('evaluating', {}, ['working_memory_pin', { tags: 'garden,shed' }]),
          librarian('commanding', { evaluation: 'It stays.' }),
          librarian('commanding', {}, ['storage_search', { value: 'door' }]),
          librarian('commanding', { evaluation: 'Found.' }),
          ...['lumber_one', 'lumber_two', 'lumber_three', 'lumber_four', 'lumber_five'].flatMap((tags) => [
            librarian('commanding', { evaluation: 'More of it.' }),
            librarian('commanding', {}, ['working_memory_add', much(tags)]),
          ]),
          librarian('nowhere', {}, ['bash', { command: 'ls' }]),
          librarian('commanding', thought),
          librarian('commanding', {}, ['storage_load', { tags: 'garden_shed' }]),
          saying(librarian('thinking', {}), { problem: 'The reply is no XML.' }),
          librarian('commanding', thought),
          librarian('thinking', {}, ['working_memory_remove', { tags: 'nothing' }]),
          librarian('paging', thought),
          librarian('commanding', thought),
          librarian('thinking', {}, ['working_memory_unpin', { tags: 'garden_shed' }]),
          librarian('commanding', thought),
          librarian('thinking', {}, ['working_memory_list', {}]),
          librarian('commanding', thought),
          librarian('thinking', {}, ['storage_save', { tags: 'garden_shed' }]),
          overflows(),
          asksToFinish('enough'),
          replies('The door is green.'),
          replies('It still is.'),
        ],
        run: byShelf,
      },
    ),
    serve(
      'lkj1-librarian',
      'The first version: thinking, executing and paging, until its cycles are used up.',
      begin('lkj1', cycles),
      {
        script: [
          says('Keep the shed in mind.'),
          ...['lumber_one', 'lumber_two', 'lumber_three', 'lumber_four'].flatMap((tags) => [
            librarian('executing', { think: 'More of it.' }),
            librarian('thinking', {}, ['working_memory_add', much(tags)]),
          ]),
          librarian('executing', { think: 'And away.' }),
          librarian('thinking', {}, ['storage_search', { value: 'door' }]),
          librarian('executing', thought),
          librarian('thinking', {}, ['storage_save', { tags: 'garden_shed', value: 'The door is green.' }]),
          librarian('executing', thought),
          librarian('thinking', {}, ['storage_load', { tags: 'garden_shed' }]),
          librarian('thinking', thought),
          librarian('thinking', thought),
        ],
        run: byShelf,
      },
    ),
    serve(
      'pawl-memory',
      'Working memory of the default profile, pinned beyond what paging can free.',
      begin('pawl'),
      {
        script: [
          says('Keep it all.'),
          ...['one', 'two', 'three', 'four', 'five'].flatMap((tags, index) => [
            replies('', { id: `add${index}`, tool: 'working_memory_add', args: much(tags) }),
            replies('', { id: `pin${index}`, tool: 'working_memory_pin', args: { tags } }),
          ]),
          replies('', { id: 'load', tool: 'storage_load', args: { tags: 'garden_shed' } }),
          replies('Kept.'),
        ],
        run: byShelf,
      },
    ),
  ];
}

/** What is asked of storage finds the same entry every time; what is not there to remove is said to be missing. */
function byShelf({ id, tool }: Call): Happening {
  if (tool === 'working_memory_remove') return finishes(id, broke('There is nothing.', 'invalid'));
  const found = tool === 'storage_load' || tool === 'storage_search' ? [shelved] : [];
  return saying(finishes(id, worked('done')), { found });
}

const budgets = { modelCalls: 16, toolCalls: null, tokens: null, cost: null, wallMs: null };
const cycles = { settings: { budgets } };
