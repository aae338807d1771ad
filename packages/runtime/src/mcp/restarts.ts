import type { Clock } from '../clock.ts';
import type { McpLimits } from './mcp-server.ts';

/**
 * How often a server was started again since a call last came to an end. The first time is at once, each further one
 * waits twice as long, and then it is enough: a server that starts and dies must not do so for ever.
 */
export class Restarts {
  readonly #limits: McpLimits;
  readonly #clock: Clock;
  #count = 0;

  constructor(limits: McpLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get isSpent(): boolean {
    return this.#count >= this.#limits.restarts;
  }

  /** Resolves when it may be started again. */
  async next(signal: AbortSignal): Promise<void> {
    const { backoffMs, backoffMaxMs } = this.#limits;
    const waitMs = this.#count === 0 ? 0 : Math.min(backoffMs * 2 ** (this.#count - 1), backoffMaxMs);
    this.#count += 1;
    if (waitMs > 0) await this.#clock.until(this.#clock.now() + waitMs, signal);
  }

  reset(): void {
    this.#count = 0;
  }
}
