import { collectGarbage } from './memory.ts';

/** Something to be timed: `run` does its work `times` times over; `check`, not timed, throws unless it did. */
export type Task = { readonly name: string; run(times: number): void; check?(): void };

export type Plan = {
  readonly rounds: number;
  /** Rounds that are run and not counted, for the compiler to settle. */
  readonly warmUpRounds: number;
  /** How long one task runs at a stretch. */
  readonly sliceMs: number;
};

/** Nanoseconds of processor time for one time of each task's work: one sample a round, so sample n of all tasks belongs together. */
export type Timing = { readonly name: string; readonly samples: readonly number[] };

/** Times tasks in turns in one process; each round begins with another task, so none always follows the same one. */
export function interleave(tasks: readonly Task[], plan: Plan): readonly Timing[] {
  const slots = tasks.map((task) => ({ task, times: timesFor(task, plan.sliceMs), samples: [] as number[] }));
  for (let round = -plan.warmUpRounds; round < plan.rounds; round += 1) {
    for (const slot of rotated(slots, round + plan.warmUpRounds)) {
      const nanoseconds = time(slot.task, slot.times) / slot.times;
      if (round >= 0) slot.samples.push(nanoseconds);
    }
  }
  return slots.map(({ task, samples }) => ({ name: task.name, samples }));
}

/** How many times fill a slice. Doubles from one, which also warms the task up. */
function timesFor(task: Task, sliceMs: number): number {
  const slice = sliceMs * 1e6;
  let times = 1;
  let taken = time(task, times);
  while (taken < slice / 2) {
    times *= 2;
    taken = time(task, times);
  }
  return Math.max(1, Math.round((times * slice) / taken));
}

/**
 * Nanoseconds of processor time, on all threads of this process: waiting for a core that others use is not counted, and
 * collecting garbage is, wherever it is done. Starts from a clean heap, so that no task pays for the one before it.
 */
function time(task: Task, times: number): number {
  collectGarbage();
  const start = process.cpuUsage();
  task.run(times);
  const { user, system } = process.cpuUsage(start);
  task.check?.();
  return (user + system) * 1_000;
}

/** The same in the same order, beginning elsewhere. */
export function rotated<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
