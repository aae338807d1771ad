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

parentPort?.on('message', (request: PoolRequest) => {
  void handlePoolRequest(request).catch(toErrorResponseMessage).then(postPoolResponse);
});

function postPoolResponse(message: PoolResponse): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
}

function toErrorResponseMessage(error: unknown): PoolResponse {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'error', message };
}

async function handlePoolRequest(request: PoolRequest): Promise<PoolResponse> {
  if (request.kind === 'crashes') {
    const crashes = await runDoubleCrash(request.first, getBuggyAssembly(request.bug));
    const [used] = installedTraps.takeUsed();
    if (used !== undefined) throw new Error(`${used} was used in a run with crashes`);
    return { kind: 'crashes', crashes };
  }
  const runs: SeedRun[] = [];
  for (let seed = request.from; seed < request.from + request.count; seed += 1) {
    runs.push(await runSeed(seed, request, installedTraps));
  }
  return { kind: 'seeds', runs };
}
