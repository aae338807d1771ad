import type { RuntimeClock } from '../platform/clock.ts';
import type { McpLimits } from './mcp-server.ts';

/**
 * Limits how often a server is restarted without a completed call in between, so that a crashing server does not
 * restart endlessly. The first restart is immediate; the delay then doubles with each one.
 */
export class RestartBackoff {
  readonly #limits: McpLimits;
  readonly #clock: RuntimeClock;
  #count = 0;

  constructor(limits: McpLimits, clock: RuntimeClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get isExhausted(): boolean {
    return this.#count >= this.#limits.restarts;
  }

  /** Resolves when the server may be started again. */
  async waitForRestart(signal: AbortSignal): Promise<void> {
    const { backoffMs, backoffMaxMs } = this.#limits;
    const waitMs = this.#count === 0 ? 0 : Math.min(backoffMs * 2 ** (this.#count - 1), backoffMaxMs);
    this.#count += 1;
    if (waitMs > 0) await this.#clock.sleepUntil(this.#clock.now() + waitMs, signal);
  }

  reset(): void {
    this.#count = 0;
  }
}
