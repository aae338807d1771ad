import {
  emptyMemory,
  memorySettings,
  page,
  put,
  remember,
  type Memory,
  type MemorySettings,
} from '@pawl/core';
import { environment } from './lib/environment.ts';
import { interleave, type Task } from './lib/interleave.ts';
import { microTable } from './lib/micro-table.ts';
import { readOptions } from './lib/options.ts';
import { pairedRatios, summarise } from './lib/statistics.ts';

const help = `Usage: node bench/paging.ts [--quick] [--json]

Times what an action costs in a small and in a large working memory, and what it takes to page thousands of entries.

  --quick   a short run: enough to see that it works, too short to be quoted
  --json    the same numbers as JSON
  --help    this text`;

/** No limit stands in the way of filling it; paging is given its own. */
const unlimited: MemorySettings = {
  ...memorySettings.pawl,
  hardLimit: { enable: false, maxTokens: 1 },
};

function filled(size: number): Memory {
  let memory = emptyMemory(unlimited);
  for (let at = 0; at < size; at += 1)
    memory = put(memory, { key: `entry_${at}`, value: `text ${at} `.repeat(20), at });
  return memory;
}

/** Adds under a key that is there already, so that the size stays what it is. */
function adding(size: number): Task {
  let memory = filled(size);
  return {
    name: `add to ${size} entries`,
    run(times) {
      for (let time = 0; time < times; time += 1) {
        const action = {
          type: 'working_memory_add',
          tags: `entry ${time % size}`,
          value: 'text '.repeat(40),
        };
        memory = remember(memory, action, time).memory;
      }
    },
    check() {
      if (memory.entries.size !== size)
        throw new Error(`expected ${size} entries, found ${memory.entries.size}`);
    },
  };
}

function paging(size: number): Task {
  const memory = filled(size);
  let moved = 0;
  return {
    name: `page ${size} entries`,
    run(times) {
      for (let time = 0; time < times; time += 1)
        moved = page(memory, { limit: 4_096, at: size }).moved.length;
    },
    check() {
      if (moved < size / 2)
        throw new Error(`expected most of ${size} entries to be moved, and ${moved} were`);
    },
  };
}

const options = readOptions(help);
if (options !== null) {
  const plan = options.quick
    ? { rounds: 3, warmUpRounds: 1, sliceMs: 20 }
    : { rounds: 15, warmUpRounds: 2, sliceMs: 150 };
  const timings = interleave([adding(10), adding(10_000), paging(1_000), paging(10_000)], plan);
  const ratio = (late: number, early: number) =>
    summarise(pairedRatios(timings[late]?.samples ?? [], timings[early]?.samples ?? []));
  const measured = {
    environment: environment(),
    nanoseconds: timings.map(({ name, samples }) => ({ name, ...summarise(samples) })),
    addLargeBySmall: ratio(1, 0),
    pageLargeBySmall: ratio(3, 2),
  };
  console.log(options.json ? JSON.stringify(measured, null, 2) : report(measured));
}

type Measured = {
  readonly nanoseconds: Parameters<typeof microTable>[1];
  readonly addLargeBySmall: { readonly median: number };
  readonly pageLargeBySmall: { readonly median: number };
};

function report({ nanoseconds, addLargeBySmall, pageLargeBySmall }: Measured): string {
  return [
    microTable('working memory', nanoseconds),
    `Adding to ten thousand entries by adding to ten: ${addLargeBySmall.median.toFixed(2)}`,
    `Paging ten thousand entries by paging one thousand: ${pageLargeBySmall.median.toFixed(2)}`,
  ].join('\n\n');
}
