import { parentPort } from 'node:worker_threads';
import { getBuggyAssembly } from './bugs/bugs.ts';
import { runDoubleCrash, type DoubleCrashReport } from './double-crash.ts';
import { runSeed, type SimRunKind, type SeedRun } from './run-seed.ts';
import { installGlobalTraps } from './global-traps.ts';

/** A request to a thread, which processes one at a time and answers each with one message. */
export type PoolRequest =
  | ({ readonly kind: 'seeds'; readonly from: number; readonly count: number } & SimRunKind)
  | { readonly kind: 'crashes'; readonly first: number; readonly bug: string | null };

export type PoolResponse =
  | { readonly kind: 'seeds'; readonly runs: readonly SeedRun[] }
  | { readonly kind: 'crashes'; readonly crashes: DoubleCrashReport }
  | { readonly kind: 'error'; readonly message: string };

const installedTraps = installGlobalTraps();

parentPort?.on('message', (order: PoolRequest) => {
  void handlePoolRequest(order).catch(toErrorResponseMessage).then(postPoolResponse);
});

function postPoolResponse(message: PoolResponse): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
}

function toErrorResponseMessage(error: unknown): PoolResponse {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'error', message };
}

async function handlePoolRequest(order: PoolRequest): Promise<PoolResponse> {
  if (order.kind === 'crashes') {
    const crashes = await runDoubleCrash(order.first, getBuggyAssembly(order.bug));
    const [tripped] = installedTraps.take();
    if (tripped !== undefined) throw new Error(`${tripped} was used in a run with crashes`);
    return { kind: 'crashes', crashes };
  }
  const runs: SeedRun[] = [];
  for (let seed = order.from; seed < order.from + order.count; seed += 1) {
    runs.push(await runSeed(seed, order, installedTraps));
  }
  return { kind: 'seeds', runs };
}
