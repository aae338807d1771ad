import type { Tool, ToolResult } from '@pawl/runtime';
import { systemStopwatch, type Stopwatch } from './stopwatch.ts';

/** Part of a lease after which its holder no longer relies on it: clocks differ, and answers take their time. */
const reliablePart = 2 / 3;
/** How many times it is renewed within one lease. */
const renewalsPerLease = 4;

/**
 * The right to work on a session for some time. It is lost when nobody could renew it in time, as after a pause of the whole
 * process: then somebody else may have it already. Time is measured by a clock that nobody can set.
 */
export class Lease {
  readonly #ms: number;
  readonly #renew: () => Promise<boolean>;
  readonly #lost = new AbortController();
  readonly #stopwatch: Stopwatch;
  #stopRinging: () => void = () => undefined;
  #renewedAt: number;
  #isOver = false;

  /** `renew` gives false once the lease belongs to somebody else. */
  constructor(ms: number, renew: () => Promise<boolean>, stopwatch: Stopwatch = systemStopwatch) {
    this.#ms = ms;
    this.#renew = renew;
    this.#stopwatch = stopwatch;
    this.#renewedAt = stopwatch.now();
    this.#renewLater();
  }

  /** Aborted when the lease is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether nobody else can have it at this moment. */
  isSure(): boolean {
    if (!this.#isOver && this.#stopwatch.now() - this.#renewedAt >= this.#ms * reliablePart) this.#lose();
    return !this.#isOver;
  }

  /** Lets go of it: nothing can be sure of it from now on. */
  end(): void {
    this.#isOver = true;
    this.#stopRinging();
  }

  /** Resolves to whether it is known to be ours now; false also where nobody answered. */
  async renew(): Promise<boolean> {
    // Counted from when it was asked for: the answer may be old when it comes.
    const askedAt = this.#stopwatch.now();
    if (!this.isSure()) return false;
    const isOurs = await this.#renew().catch(() => null);
    if (isOurs === false) this.#lose();
    if (isOurs === true) this.#renewedAt = Math.max(this.#renewedAt, askedAt);
    return isOurs === true && this.isSure();
  }

  /** However long an answer takes, the next one is asked for in time. */
  #renewLater(): void {
    this.#stopRinging = this.#stopwatch.ring(this.#ms / renewalsPerLease, () => {
      this.#renewLater();
      void this.renew();
    });
  }

  #lose(): void {
    this.end();
    this.#lost.abort();
  }
}

const tooLate: ToolResult = {
  ok: false,
  error: {
    kind: 'interrupted',
    message:
      'It was not started: the worker had lost the session by then. Ask for it again if it is still wanted.',
  },
};

/** Tools that start nothing unless the lease is sure in that moment. */
export function underLease(tools: readonly Tool[], lease: Lease): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    run: async (args, context) => {
      if (!lease.isSure()) return tooLate;
      const { execution } = context;
      if (execution === undefined) return tool.run(args, context);
      const intend: typeof execution.intend = async (intent) =>
        (await execution.intend(intent)) && lease.isSure();
      return tool.run(args, { ...context, execution: { ...execution, intend } });
    },
  }));
}
