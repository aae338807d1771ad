import type { Session } from '../../src/index.ts';
import { createMemory, memorySettings, putEntry } from '../../src/memory-entry.ts';
import {
  memoryCommandRequested,
  createCall,
  toolFinished,
  contextOverflowed,
  pagingFinished,
  pauseRequested,
  modelReplied,
  resumeRequested,
  userMessage,
} from '../helpers/event-builders.ts';
import { createScenario, type LogScenario } from './log-scenario.ts';
import type { SessionFactory } from './turn-scenarios.ts';

/** A person who has a say in what is at hand and what is on the shelf. */
export function createMemoryScenarios(startSession: SessionFactory): readonly LogScenario[] {
  return [
    createScenario(
      '3-memory-asked',
      'Entries are pinned and sent away while work goes on.',
      fillSessionMemory(startSession('pawl')),
      [
        memoryCommandRequested('pin', 'plan'),
        userMessage(),
        memoryCommandRequested('evict', 'plan'),
        memoryCommandRequested('evict', 'garden,shed'),
        modelReplied('', createCall('a')),
        memoryCommandRequested('unpin', 'plan'),
        memoryCommandRequested('evict', 'small'),
        toolFinished('a'),
        contextOverflowed(),
        memoryCommandRequested('pin', 'small'),
        pagingFinished(),
        pauseRequested(),
        memoryCommandRequested('evict', 'plan'),
        memoryCommandRequested('pin', 'nothing'),
        resumeRequested(),
        modelReplied('Done.'),
      ],
    ),
  ];
}

function fillSessionMemory(session: Session): Session {
  const entries = { plan: 'First the shed, '.repeat(20), 'garden,shed': 'Green. '.repeat(60), small: 'x' };
  const memory = Object.entries(entries).reduce(
    (held, [key, value]) => putEntry(held, { key, value, at: 0 }),
    createMemory(memorySettings.pawl),
  );
  return { ...session, memory };
}
