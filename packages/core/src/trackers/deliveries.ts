import { withRecent } from './recent.ts';

/** How many deliveries one record may lead to, through listeners that make records themselves. */
const deliveriesMax = 1_000;
const errorsMax = 20;

/**
 * Delivers one after another, in the order things happened, also what a listener brings about while it is being told.
 * What a listener throws is kept and changes nothing.
 */
export class Deliveries {
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
      if (count === deliveriesMax) this.#giveUp();
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
    this.#keep(new Error(`Callbacks led to more than ${deliveriesMax} further calls; the rest was dropped.`));
  }

  #keep(error: unknown): void {
    this.#errors = withRecent(this.#errors, error, errorsMax);
  }
}
