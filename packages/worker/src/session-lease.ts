import type { Tool, ToolResult } from '@pawl/runtime';

/** The part of a lease during which its holder relies on it; the rest allows for clock drift and slow replies. */
const reliableFraction = 2 / 3;
/** Number of renewals per lease duration. */
const renewalsPerLease = 4;

/**
 * The exclusive right to run a session for some time. It is lost if it was not renewed in time, for example after a
 * pause of the whole process, because another worker may already have it. Time is measured by a monotonic clock.
 */
export class SessionLease {
  readonly #ms: number;
  readonly #renew: () => Promise<boolean>;
  readonly #lost = new AbortController();
  readonly #timer: MonotonicTimer;
  #cancelTimer: () => void = () => undefined;
  #renewedAt: number;
  #hasEnded = false;

  /** `renew` resolves to false once another worker holds the lease. */
  constructor(ms: number, renew: () => Promise<boolean>, timer: MonotonicTimer = systemTimer) {
    this.#ms = ms;
    this.#renew = renew;
    this.#timer = timer;
    this.#renewedAt = timer.now();
    this.#renewLater();
  }

  /** Aborted when the lease is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether no other worker can hold the lease at this moment. */
  isCertain(): boolean {
    if (!this.#hasEnded && this.#timer.now() - this.#renewedAt >= this.#ms * reliableFraction)
      this.#setLost();
    return !this.#hasEnded;
  }

  /** Releases the lease. */
  end(): void {
    this.#hasEnded = true;
    this.#cancelTimer();
  }

  /** Resolves to whether the lease is known to be ours; also false if there was no reply. */
  async renew(): Promise<boolean> {
    // Counted from the request, because the reply may be old when it arrives.
    const requestedAt = this.#timer.now();
    if (!this.isCertain()) return false;
    const isOurs = await this.#renew().catch(() => null);
    if (isOurs === false) this.#setLost();
    if (isOurs === true) this.#renewedAt = Math.max(this.#renewedAt, requestedAt);
    return isOurs === true && this.isCertain();
  }

  /** Schedules the next renewal regardless of how long a reply takes. */
  #renewLater(): void {
    this.#cancelTimer = this.#timer.schedule(this.#ms / renewalsPerLease, () => {
      this.#renewLater();
      void this.renew();
    });
  }

  #setLost(): void {
    this.end();
    this.#lost.abort();
  }
}

const leaseLostResult: ToolResult = {
  ok: false,
  error: {
    kind: 'interrupted',
    message:
      'Not started: the worker had lost its lease on the session. Call it again if it is still needed.',
  },
};

/** Wraps tools so that they start nothing unless the lease is certain at that moment. */
export function guardToolsByLease(tools: readonly Tool[], lease: SessionLease): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    run: async (args, context) => {
      if (!lease.isCertain()) return leaseLostResult;
      const { execution } = context;
      if (execution === undefined) return tool.run(args, context);
      const recordIntent: typeof execution.recordIntent = async (intent) =>
        (await execution.recordIntent(intent)) && lease.isCertain();
      return tool.run(args, { ...context, execution: { ...execution, recordIntent } });
    },
  }));
}

/** A monotonic clock with timers. Simulations provide their own. */
export type MonotonicTimer = {
  /** Milliseconds since an arbitrary origin. */
  now(): number;
  /** Calls `then` once after `ms`, unless the returned function is called first. */
  schedule(ms: number, callback: () => void): () => void;
};

export const systemTimer: MonotonicTimer = {
  now: () => performance.now(),
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
