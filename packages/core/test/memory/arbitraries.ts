import * as fc from 'fast-check';
import type { Json } from '../../src/index.ts';
import { createMemory, putEntry, type WorkingMemory } from '../../src/memory/memory.ts';
import { memorySettings, type MemorySettings } from '../../src/memory/settings.ts';
import { codePoint } from '../helpers/code-point.ts';

/** Names that have caught programs out, and any others, halves of surrogate pairs included. */
export const anyEntryName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '',
    ' ',
    ',',
    'a b',
    'é',
    '\ud800',
    '\0',
    '1',
    '001',
  ),
  fc.constantFrom('plan', 'notes', 'think_log_001', 'moved_to_storage', 'search_results'),
  fc.string({ unit: codePoint, maxLength: 12 }),
);

/** Any JSON but -0, which JSON writes as 0. */
export const anyValue: fc.Arbitrary<Json> = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 400 }),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json),
);

export const anyAction: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      {
        type: fc.constantFrom(
          'working_memory_add',
          'working_memory_add',
          'working_memory_remove',
          'working_memory_list',
          'working_memory_pin',
          'working_memory_unpin',
          'storage_save',
          'storage_load',
          'storage_search',
          'storage',
        ),
        tags: fc.oneof(anyEntryName, fc.array(anyEntryName, { maxLength: 3 })),
        value: anyValue,
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.anything() },
);

/** Settings of the `lkj` profile with limits of this size. */
export function createLimitedSettings(pagingTokens: number, hardTokens: number): MemorySettings {
  return {
    ...memorySettings.lkj,
    pagingLimit: { enable: true, maxTokens: pagingTokens },
    hardLimit: { enable: true, maxTokens: hardTokens },
  };
}

/** A memory with these entries, put in one after the other at times 1, 2, 3 … */
export function createFilledMemory(
  values: Readonly<Record<string, Json>>,
  settings = memorySettings.lkj,
): WorkingMemory {
  let memory = createMemory(settings);
  Object.entries(values).forEach(([key, value], index) => {
    memory = putEntry(memory, { key, value, at: index + 1 });
  });
  return memory;
}

type EntrySample = {
  readonly key: string;
  readonly value: Json;
  readonly at: number;
  readonly pinned: boolean;
};

const anyEntrySample: fc.Arbitrary<EntrySample> = fc.record({
  key: anyEntryName.filter((name) => name !== 'moved_to_storage' && !name.startsWith('think_log_')),
  value: anyValue,
  at: fc.integer({ min: 0, max: 50 }),
  pinned: fc.boolean(),
});

/** A memory of ordinary entries, some of them pinned. */
export const anyMemory: fc.Arbitrary<WorkingMemory> = fc
  .array(anyEntrySample, { maxLength: 40 })
  .map((entries) =>
    entries.reduce((memory, entry) => putEntry(memory, entry), createMemory(memorySettings.lkj)),
  );
