import {
  createMemory,
  memorySettings,
  pageEntries,
  putEntry,
  applyMemoryAction,
  type WorkingMemory,
  type MemorySettings,
} from '@pawl/core/memory';
import { readBenchMachine } from './lib/environment.ts';
import { interleaveTasks, type TimedTask } from './lib/interleave.ts';
import { formatMicroTable } from './lib/micro-table.ts';
import { readBenchOptions } from './lib/options.ts';
import { computePairedRatios, summarizeSamples } from './lib/statistics.ts';

const help = `Usage: node bench/paging.ts [--quick] [--json]

Times a memory action in a small and a large working memory, and paging thousands of entries.

  --quick   short run, for testing only
  --json    print the results as JSON
  --help    show this help`;

/** No limits while filling; paging gets its own limit. */
const unlimitedMemory: MemorySettings = {
  ...memorySettings.pawl,
  hardLimit: { enable: false, maxTokens: 1 },
};

function createBenchMemory(size: number): WorkingMemory {
  let memory = createMemory(unlimitedMemory);
  for (let at = 0; at < size; at += 1)
    memory = putEntry(memory, { key: `entry_${at}`, value: `text ${at} `.repeat(20), at });
  return memory;
}

/** Adds an entry under an existing key, so that the size stays constant. */
function createAddTask(size: number): TimedTask {
  let memory = createBenchMemory(size);
  return {
    name: `add to ${size} entries`,
    run(times) {
      for (let time = 0; time < times; time += 1) {
        const action = {
          type: 'working_memory_add',
          tags: `entry ${time % size}`,
          value: 'text '.repeat(40),
        };
        memory = applyMemoryAction(memory, action, time).memory;
      }
    },
    check() {
      if (memory.entries.size !== size)
        throw new Error(`expected ${size} entries, found ${memory.entries.size}`);
    },
  };
}

function createPagingTask(size: number): TimedTask {
  const memory = createBenchMemory(size);
  let moved = 0;
  return {
    name: `page ${size} entries`,
    run(times) {
      for (let time = 0; time < times; time += 1)
        moved = pageEntries(memory, { limit: 4_096, at: size }).moved.length;
    },
    check() {
      if (moved < size / 2) throw new Error(`expected most of ${size} entries to be moved, got ${moved}`);
    },
  };
}

const options = readBenchOptions(help);
if (options !== null) {
  const plan = options.quick
    ? { rounds: 3, warmUpRounds: 1, sliceMs: 20 }
    : { rounds: 15, warmUpRounds: 2, sliceMs: 150 };
  const timings = interleaveTasks(
    [createAddTask(10), createAddTask(10_000), createPagingTask(1_000), createPagingTask(10_000)],
    plan,
  );
  const ratio = (late: number, early: number) =>
    summarizeSamples(computePairedRatios(timings[late]?.samples ?? [], timings[early]?.samples ?? []));
  const measured = {
    environment: readBenchMachine(),
    nanoseconds: timings.map(({ name, samples }) => ({ name, ...summarizeSamples(samples) })),
    addLargeBySmall: ratio(1, 0),
    pageLargeBySmall: ratio(3, 2),
  };
  console.log(options.json ? JSON.stringify(measured, null, 2) : formatPagingReport(measured));
}

type PagingBenchResult = {
  readonly nanoseconds: Parameters<typeof formatMicroTable>[1];
  readonly addLargeBySmall: { readonly median: number };
  readonly pageLargeBySmall: { readonly median: number };
};

function formatPagingReport({ nanoseconds, addLargeBySmall, pageLargeBySmall }: PagingBenchResult): string {
  return [
    formatMicroTable('working memory', nanoseconds),
    `Adding to ten thousand entries by adding to ten: ${addLargeBySmall.median.toFixed(2)}`,
    `Paging ten thousand entries by paging one thousand: ${pageLargeBySmall.median.toFixed(2)}`,
  ].join('\n\n');
}
