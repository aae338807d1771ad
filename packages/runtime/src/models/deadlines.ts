/** Limits of one reply. The request is cancelled once any of them is exceeded. */
export type ModelLimits = {
  /** Idle timeout: from the request to the first chunk, and between chunks. */
  readonly idleMs: number;
  /** Timeout of the whole reply. */
  readonly totalMs: number;
  /** Maximum size of the reply: text, reasoning and arguments together. */
  readonly replyBytesMax: number;
  /** Maximum size of the response on the wire, including protocol overhead. */
  readonly wireBytesMax: number;
};

export const modelLimits: ModelLimits = {
  idleMs: 120_000,
  totalMs: 1_800_000,
  replyBytesMax: 16 * 1024 * 1024,
  wireBytesMax: 256 * 1024 * 1024,
};

/** Merges the given limits with the defaults. Throws if a value is not a valid timer or counter value. */
export function resolveModelLimits(overrides: Partial<ModelLimits>): ModelLimits {
  const limits = { ...modelLimits, ...overrides };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isInteger(value) || value < 1 || value > limitMax) {
      throw new RangeError(`${name} must be an integer from 1 to ${limitMax}, not ${String(value)}.`);
    }
  }
  return limits;
}

/** Maximum delay of Node's timers; a longer one would fire immediately. */
const limitMax = 2 ** 31 - 1;

export type RequestStopReason = 'cancelled' | 'idle' | 'total';

/** Enforces the time limits of one request. Uses timers, so that changes of the system clock have no effect. */
export type RequestDeadlines = {
  /** Aborted as soon as the request must end early. */
  readonly signal: AbortSignal;
  readonly stopped: RequestStopReason | null;
  /** Awaits the model. Only time spent here counts as idle, not the time spent processing its output. */
  wait<Value>(work: PromiseLike<Value>): Promise<Value>;
  /** Clears the timers and aborts the request if it is still running. */
  end(): void;
};

export function startRequestDeadlines(
  { idleMs, totalMs }: ModelLimits,
  caller: AbortSignal,
): RequestDeadlines {
  const request = new AbortController();
  let stopped: RequestStopReason | null = null;
  const stop = (reason: RequestStopReason): void => {
    stopped ??= reason;
    request.abort();
  };
  const cancel = (): void => stop('cancelled');
  if (caller.aborted) cancel();
  caller.addEventListener('abort', cancel, { once: true });
  const total = setTimeout(stop, totalMs, 'total');
  return {
    signal: request.signal,
    get stopped() {
      return stopped;
    },
    async wait(work) {
      const idle = setTimeout(stop, idleMs, 'idle');
      try {
        return await work;
      } finally {
        clearTimeout(idle);
      }
    },
    end() {
      clearTimeout(total);
      caller.removeEventListener('abort', cancel);
      request.abort();
    },
  };
}
