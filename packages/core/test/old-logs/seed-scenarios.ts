import { memorySettings } from '../../src/memory/settings.ts';
import { modelReplied, permissionDenied, toolFinished, userMessage } from '../helpers/event-builders.ts';
import { createScenario, extendEvent, type LogScenario } from './log-scenario.ts';
import type { SessionFactory } from './turn-scenarios.ts';

const thought = extendEvent(modelReplied('I should plan first.'), { kind: 'thought' });

/** Thoughts, answers and failed commands in the sessions of the systems that Pawl is based on. */
export function createSeedScenarios(begin: SessionFactory): readonly LogScenario[] {
  return [
    createScenario('6-thoughts-savant', 'Thoughts stay in one mode until it is stuck.', begin('savant'), [
      userMessage('Find the architecture.'),
      ...Array.from({ length: 6 }, () => thought),
      modelReplied('I found nothing.'),
    ]),
    createScenario('6-answer-savant', 'An answer while searching ends the turn.', begin('savant'), [
      userMessage('Find the architecture.'),
      modelReplied('', { id: 'a', tool: 'search', args: { query: 'architecture' } }),
      toolFinished('a'),
      extendEvent(modelReplied('Three layers.'), { kind: 'answer' }),
    ]),
    createScenario(
      '6-commands-lkj',
      'Commands are unknown, cannot be read, or are denied by a person; a thought is very long.',
      begin('lkj'),
      [
        userMessage('Remember Alice.'),
        extendEvent(modelReplied(''), {
          kind: 'thought',
          nextState: 'commanding',
          logs: { think: 'Who is she? '.repeat(500) },
        }),
        modelReplied('', { id: 'a', tool: 'fly', args: {} }),
        extendEvent(modelReplied('<agent'), { kind: 'unreadable', problem: 'the reply ends too early' }),
        modelReplied('', {
          id: 'b',
          tool: 'storage_save',
          args: { tags: 'alice', value: 'kind' },
          permission: 'ask',
        }),
        permissionDenied('b', 'not now'),
      ],
    ),
    createScenario(
      '6-paging-lkj',
      'Memory is above its paging limit; paging waits for the evaluation.',
      begin('lkj', {
        settings: {
          memory: { ...memorySettings.lkj, pagingLimit: { enable: true, maxTokens: 20 } },
        },
      }),
      [
        userMessage('Remember Alice.'),
        modelReplied('', {
          id: 'a',
          tool: 'working_memory_add',
          args: { tags: 'alice', value: 'kind and careful '.repeat(20) },
        }),
        toolFinished('a'),
        extendEvent(modelReplied(''), { kind: 'thought', nextState: 'thinking' }),
        extendEvent(modelReplied(''), { kind: 'thought', nextState: 'thinking' }),
      ],
    ),
  ];
}
