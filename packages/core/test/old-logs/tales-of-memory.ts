import { emptyMemory, memorySettings, put, type Session } from '../../src/index.ts';
import {
  asksOfMemory,
  call,
  finishes,
  overflows,
  paged,
  pauses,
  replies,
  resumes,
  says,
} from '../helpers/happenings.ts';
import { tale, type Tale } from './tale.ts';
import type { Begin } from './tales-of-turns.ts';

/** A person who has a say in what is at hand and what is on the shelf. */
export function memoryTales(begin: Begin): readonly Tale[] {
  return [
    tale('3-memory-asked', 'Entries are pinned and sent away while work goes on.', stocked(begin('pawl')), [
      asksOfMemory('pin', 'plan'),
      says(),
      asksOfMemory('evict', 'plan'),
      asksOfMemory('evict', 'garden,shed'),
      replies('', call('a')),
      asksOfMemory('unpin', 'plan'),
      asksOfMemory('evict', 'small'),
      finishes('a'),
      overflows(),
      asksOfMemory('pin', 'small'),
      paged(),
      pauses(),
      asksOfMemory('evict', 'plan'),
      asksOfMemory('pin', 'nothing'),
      resumes(),
      replies('Done.'),
    ]),
  ];
}

function stocked(session: Session): Session {
  const entries = { plan: 'First the shed, '.repeat(20), 'garden,shed': 'Green. '.repeat(60), small: 'x' };
  const memory = Object.entries(entries).reduce(
    (held, [key, value]) => put(held, { key, value, at: 0 }),
    emptyMemory(memorySettings.pawl),
  );
  return { ...session, memory };
}
