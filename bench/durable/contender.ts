/** One way to persist every step of `bench-session.ts`. */
export type DurableContender = {
  readonly name: string;
  /** Version of the measured library; null for code in this repository. */
  readonly version: string | null;
  /** Runs the session and persists it in the folder; resolves once everything is persisted and the file is closed. */
  run(work: DurableWork): Promise<DurableRunResult>;
  /** Loads the persisted state, as a process that resumes the session does. */
  open(folder: string): Promise<OpenResult>;
  /** Removes snapshots, if there are any, so that the next open replays from the first event. */
  readonly forgetSnapshot?: (folder: string) => void;
};

export type DurableWork = {
  readonly steps: number;
  readonly folder: string;
  /** Must be called once per step, always at the same point. */
  readonly tick: () => void;
};

export type DurableRunResult = ElapsedTime & {
  /** Durability of a commit: FULL survives a power failure, NORMAL a process crash. */
  readonly synchronous: 'FULL' | 'NORMAL';
  /** Size of the events as text, in bytes; null if there are no events. */
  readonly textBytes: number | null;
};

export type OpenResult = {
  readonly ms: number;
  readonly messages: number;
  /** Number of replayed events; null if there are no events. */
  readonly replayed: number | null;
};

/** Elapsed time, including waits for the disk and for a core, and the CPU time in it. */
export type ElapsedTime = { readonly ms: number; readonly processorMs: number };

export async function measureElapsed(work: () => void | Promise<void>): Promise<ElapsedTime> {
  const before = process.cpuUsage();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { ms, processorMs: (user + system) / 1_000 };
}

/** Maps SQLite's numeric synchronous level. */
export function toSynchronousLevel(level: unknown): DurableRunResult['synchronous'] {
  if (level === 2) return 'FULL';
  if (level === 1) return 'NORMAL';
  throw new Error(`Expected synchronous to be 1 or 2, found ${String(level)}`);
}
