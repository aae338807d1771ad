/** One way to keep every step of `work.ts` on disk. */
export type DurableContender = {
  readonly name: string;
  /** The version of what is measured; null for what is written here. */
  readonly version: string | null;
  /** Goes through the work and keeps it in the folder; resolves once all of it is kept and the file is closed. */
  run(work: Work): Promise<Done>;
  /** Reads back what is in the folder, as a process does that goes on with it. */
  open(folder: string): Promise<Opened>;
  /** Makes the next opening begin at the first event, where there is something that spares it that. */
  readonly forgetSnapshot?: (folder: string) => void;
};

export type Work = {
  readonly steps: number;
  readonly folder: string;
  /** To be called once in each step, always at the same place. */
  readonly tick: () => void;
};

export type Done = Timed & {
  /** How far the database goes to keep a commit: FULL survives the loss of power, NORMAL the end of the process. */
  readonly synchronous: 'FULL' | 'NORMAL';
  /** Bytes of the events as text, where there are events. */
  readonly textBytes: number | null;
};

export type Opened = {
  readonly ms: number;
  readonly messages: number;
  /** How many events were stepped through to get there, where there are events. */
  readonly replayed: number | null;
};

/** Elapsed, waiting for the disk and for a core included; and what of it was spent on a processor. */
export type Timed = { readonly ms: number; readonly processorMs: number };

export async function timed(work: () => void | Promise<void>): Promise<Timed> {
  const before = process.cpuUsage();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { ms, processorMs: (user + system) / 1_000 };
}

/** What a commit survives, by SQLite's own number. */
export function synchronousOf(level: unknown): Done['synchronous'] {
  if (level === 2) return 'FULL';
  if (level === 1) return 'NORMAL';
  throw new Error(`Expected synchronous to be 1 or 2, found ${String(level)}`);
}
