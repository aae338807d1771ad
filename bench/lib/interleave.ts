import { collectGarbage } from './memory.ts';

/** A task to time: `run` does its work `times` times; `check` is not timed and throws if the work was not done. */
export type TimedTask = { readonly name: string; run(times: number): void; check?(): void };

export type InterleavePlan = {
  readonly rounds: number;
  /** Rounds that are run but not counted, to let JIT compilation settle. */
  readonly warmUpRounds: number;
  /** Duration of one uninterrupted run of a task. */
  readonly sliceMs: number;
};

/**
 * CPU time per iteration of a task, in nanoseconds. There is one sample per round, so samples with the same index
 * belong together.
 */
export type TaskTiming = { readonly name: string; readonly samples: readonly number[] };

/** Times tasks alternately in one process, in rotating order, so that no task always follows the same one. */
export function interleaveTasks(tasks: readonly TimedTask[], plan: InterleavePlan): readonly TaskTiming[] {
  const slots = tasks.map((task) => ({
    task,
    times: calibrateTimes(task, plan.sliceMs),
    samples: [] as number[],
  }));
  for (let round = -plan.warmUpRounds; round < plan.rounds; round += 1) {
    for (const slot of rotateItems(slots, round + plan.warmUpRounds)) {
      const nanoseconds = measureTask(slot.task, slot.times) / slot.times;
      if (round >= 0) slot.samples.push(nanoseconds);
    }
  }
  return slots.map(({ task, samples }) => ({ name: task.name, samples }));
}

/** Finds the number of iterations that fill a slice by doubling from one, which also warms the task up. */
function calibrateTimes(task: TimedTask, sliceMs: number): number {
  const slice = sliceMs * 1e6;
  let times = 1;
  let elapsed = measureTask(task, times);
  while (elapsed < slice / 2) {
    times *= 2;
    elapsed = measureTask(task, times);
  }
  return Math.max(1, Math.round((times * slice) / elapsed));
}

/**
 * Measures CPU time on all threads of this process, in nanoseconds: waits for a busy core do not count, garbage
 * collection does. Starts with a clean heap, so that no task pays for the previous one.
 */
function measureTask(task: TimedTask, times: number): number {
  collectGarbage();
  const start = process.cpuUsage();
  task.run(times);
  const { user, system } = process.cpuUsage(start);
  task.check?.();
  return (user + system) * 1_000;
}

/** Rotates a list. */
export function rotateItems<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
