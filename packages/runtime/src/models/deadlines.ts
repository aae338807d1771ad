/** What one reply may take. Past any of these the request is called off. */
export type ModelLimits = {
  /** How long the model may say nothing, from the request on and between two pieces of the reply. */
  readonly idleMs: number;
  /** How long the whole reply may take. */
  readonly totalMs: number;
  /** How much the reply may hold: text, reasoning and arguments together. */
  readonly replyBytesMax: number;
  /** How much may come over the wire for it, the wrapping around the reply included. */
  readonly wireBytesMax: number;
};

export const modelLimits: ModelLimits = {
  idleMs: 120_000,
  totalMs: 1_800_000,
  replyBytesMax: 16 * 1024 * 1024,
  wireBytesMax: 256 * 1024 * 1024,
};

/** The limits with what is asked for in their place. Throws when one is no number that a timer or a counter can take. */
export function limitsWith(asked: Partial<ModelLimits>): ModelLimits {
  const limits = { ...modelLimits, ...asked };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isInteger(value) || value < 1 || value > limitMax) {
      throw new RangeError(`${name} is to be a whole number from 1 to ${limitMax}, not ${String(value)}.`);
    }
  }
  return limits;
}

/** Node's timers take no longer wait than this; a longer one would fire at once. */
const limitMax = 2 ** 31 - 1;

/** Why a request ended early. */
export type Stopped = 'called-off' | 'idle' | 'total';

/** Watches over one request. Its time is that of timers, so that a clock that is set does not matter. */
export type Deadlines = {
  /** Aborted as soon as the request is to end early. */
  readonly signal: AbortSignal;
  readonly stopped: Stopped | null;
  /** Waits for the model; only such waits count as silence, not what is done with its words in between. */
  wait<Value>(work: PromiseLike<Value>): Promise<Value>;
  /** Ends the watch and whatever of the request is still going on. */
  end(): void;
};

export function startDeadlines({ idleMs, totalMs }: ModelLimits, caller: AbortSignal): Deadlines {
  const request = new AbortController();
  let stopped: Stopped | null = null;
  const stop = (why: Stopped): void => {
    stopped ??= why;
    request.abort();
  };
  const callOff = (): void => stop('called-off');
  if (caller.aborted) callOff();
  caller.addEventListener('abort', callOff, { once: true });
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
      caller.removeEventListener('abort', callOff);
      request.abort();
    },
  };
}
