import type { Json } from '../../json.ts';
import { isLog } from '../logs.ts';
import { entriesOf, type Entry } from '../memory.ts';
import { documentKeys, type LkjMemory } from './read-document.ts';
import type { LkjProfile } from './states.ts';

/** The memory document. `lkj1` has its logs at the top, `lkj` in working memory; both are read by either. */
export function memoryDocument(
  { memory, storage, state, extra }: LkjMemory,
  profile: LkjProfile,
): { readonly [key: string]: Json } {
  const entries = entriesOf(memory);
  const isOutside = ({ kind }: Entry): boolean => profile === 'lkj1' && isLog(kind);
  const more: Json = {
    version: 1,
    next_order: memory.nextOrder,
    entries: Object.fromEntries(entries.map((entry) => [entry.key, factsOf(entry)])),
    storage: Object.fromEntries(
      storage.map(({ key, kind, savedAt }) => [key, { kind, saved_at: savedAt }] as const),
    ),
  };
  // From entries throughout, so that a key such as `__proto__` is a field like any other.
  return Object.fromEntries([
    [documentKeys.working, Object.fromEntries(entries.filter((entry) => !isOutside(entry)).map(pairOf))],
    [documentKeys.storage, Object.fromEntries(storage.map(pairOf))],
    [documentKeys.state, state],
    ...entries.filter(isOutside).map(pairOf),
    ...Object.entries(extra),
    [documentKeys.more, more],
  ]);
}

function pairOf({ key, value }: Pick<Entry, 'key' | 'value'>): readonly [string, Json] {
  return [key, value];
}

function factsOf({ order, addedAt, touchedAt, kind, pinned }: Entry): Json {
  const marks = [...(kind === 'stub' ? ['stub'] : []), ...(pinned ? ['pinned'] : [])];
  const facts = { order, added_at: addedAt, touched_at: touchedAt };
  return marks.length === 0 ? facts : { ...facts, marks };
}
