import type { World } from './world.ts';

/** Whose call it is: what the process is waiting for ends with it. `kind` is the port. */
export type Caller = { readonly process: string; readonly kind: string };

const delaysMs = [1, 0, 3, 10, 40] as const;
const slowDiskMs = 3_000;

/** How long something takes, by choice. */
export function delay(world: World, kind: string): number {
  return delaysMs[world.choices.choose(`delay ${kind}`, (random) => random.below(delaysMs.length))] ?? 1;
}

/** The same for the disk, which is sometimes slow. */
export function diskDelay(world: World, kind: string): number {
  return world.faults.strikes('slow-disk', kind) ? slowDiskMs : delay(world, kind);
}

export type Hop = {
  readonly name: string;
  /** Infinity for as long as there are faults. */
  readonly inMs: number;
  readonly signal?: AbortSignal;
};

/** Waits until the scheduler makes it happen; resolves at once when it is called off. */
export function hop(world: World, { process, kind }: Caller, { name, inMs, signal }: Hop): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  const { scheduler } = world;
  return new Promise((resolve) => {
    const pending = scheduler.add({
      owner: process,
      lane: `${process}/${kind}`,
      name: `${process} ${kind} ${name}`,
      inMs,
      happen: () => {
        signal?.removeEventListener('abort', called);
        resolve();
      },
    });
    const called = (): void => {
      scheduler.remove(pending);
      resolve();
    };
    signal?.addEventListener('abort', called, { once: true });
  });
}

/** A call of a port: it is done at one moment and answered at a later one, and the process may end in between. */
export async function portCall<Result>(
  world: World,
  caller: Caller,
  { name, inMs }: Hop,
  perform: () => Promise<Result>,
): Promise<Result> {
  await hop(world, caller, { name, inMs });
  const outcome = await perform().then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  await hop(world, caller, { name: `${name} answer`, inMs: 1 });
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}
