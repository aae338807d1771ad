import { appendRecent } from './append-recent.ts';

/** Maximum number of deliveries that one record may cause through listeners that add records themselves. */
const callbackDeliveriesMax = 1_000;
const callbackErrorsMax = 20;

/**
 * Delivers callbacks one at a time, in order, including those that a callback causes. Errors thrown by callbacks are
 * collected and change nothing.
 */
export class CallbackQueue {
  readonly #waiting: (() => void)[] = [];
  #isDelivering = false;
  #errors: readonly unknown[] = [];

  get errors(): readonly unknown[] {
    return this.#errors;
  }

  add(deliveries: readonly (() => void)[]): void {
    this.#waiting.push(...deliveries);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    let count = 0;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      count += 1;
      this.#deliver(next);
      if (count === callbackDeliveriesMax) this.#giveUp();
    }
    this.#isDelivering = false;
  }

  #deliver(delivery: () => void): void {
    try {
      delivery();
    } catch (error) {
      this.#keep(error);
    }
  }

  #giveUp(): void {
    if (this.#waiting.length === 0) return;
    this.#waiting.length = 0;
    this.#keep(
      new Error(`Callbacks led to more than ${callbackDeliveriesMax} further calls; the rest was dropped.`),
    );
  }

  #keep(error: unknown): void {
    this.#errors = appendRecent(this.#errors, error, callbackErrorsMax);
  }
}
