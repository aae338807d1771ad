import type { SimWorld } from './sim-world.ts';

/** The calling process, whose pending calls end with it. `kind` is the port. */
export type PortCaller = { readonly process: string; readonly kind: string };

const delaysMs = [1, 0, 3, 10, 40] as const;
const slowDiskMs = 3_000;

/** Draws the duration of a call. */
export function drawDelay(world: SimWorld, kind: string): number {
  return delaysMs[world.choices.choose(`delay ${kind}`, (random) => random.below(delaysMs.length))] ?? 1;
}

/** Draws the duration of a disk access, which is sometimes slow. */
export function drawDiskDelay(world: SimWorld, kind: string): number {
  return world.faults.shouldFail('slow-disk', kind) ? slowDiskMs : drawDelay(world, kind);
}

export type ScheduledWait = {
  readonly name: string;
  /** Infinity to wait until the faults end. */
  readonly inMs: number;
  readonly signal?: AbortSignal;
};

/** Waits until the scheduler runs the task; resolves immediately when the signal aborts. */
export function waitForScheduler(
  world: SimWorld,
  { process, kind }: PortCaller,
  { name, inMs, signal }: ScheduledWait,
): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  const { scheduler } = world;
  return new Promise((resolve) => {
    const pending = scheduler.add({
      owner: process,
      lane: `${process}/${kind}`,
      name: `${process} ${kind} ${name}`,
      inMs,
      run: () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
    });
    const onAbort = (): void => {
      scheduler.remove(pending);
      resolve();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Performs a port call. The operation and its response happen at different times; the process may crash in between. */
export async function performPortCall<Result>(
  world: SimWorld,
  caller: PortCaller,
  { name, inMs }: ScheduledWait,
  perform: () => Promise<Result>,
): Promise<Result> {
  await waitForScheduler(world, caller, { name, inMs });
  const outcome = await perform().then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  await waitForScheduler(world, caller, { name: `${name} answer`, inMs: 1 });
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}
