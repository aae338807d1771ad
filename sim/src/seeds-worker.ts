import { parentPort } from 'node:worker_threads';
import { bugNamed } from './bugs/bugs.ts';
import { crashFrom, type DoubleCrashes } from './double-crash.ts';
import { runSeed, type Kind, type SeedRun } from './run-seed.ts';
import { setTraps } from './traps.ts';

/** What a thread is asked to do. It does one thing at a time and answers each with one message. */
export type Order =
  | ({ readonly kind: 'seeds'; readonly from: number; readonly count: number } & Kind)
  | { readonly kind: 'crashes'; readonly first: number; readonly bug: string | null };

export type Answer =
  | { readonly kind: 'seeds'; readonly runs: readonly SeedRun[] }
  | { readonly kind: 'crashes'; readonly crashes: DoubleCrashes }
  | { readonly kind: 'error'; readonly message: string };

const traps = setTraps();

parentPort?.on('message', (order: Order) => {
  void carryOut(order).catch(explained).then(answer);
});

function answer(message: Answer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
}

function explained(error: unknown): Answer {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'error', message };
}

async function carryOut(order: Order): Promise<Answer> {
  if (order.kind === 'crashes') {
    const crashes = await crashFrom(order.first, bugNamed(order.bug));
    const [tripped] = traps.take();
    if (tripped !== undefined) throw new Error(`${tripped} was used in a run with crashes`);
    return { kind: 'crashes', crashes };
  }
  const runs: SeedRun[] = [];
  for (let seed = order.from; seed < order.from + order.count; seed += 1) {
    runs.push(await runSeed(seed, order, traps));
  }
  return { kind: 'seeds', runs };
}
