import { isTerminal, type Event } from '@pawl/core';
import type { Unstamped } from '@pawl/runtime';
import type { Book } from './oracle/book.ts';
import { sessionId, type Interference } from './plan.ts';
import type { Driver, World } from './world.ts';

/** How often the user looks up: less and less as long as nothing changes. */
const glanceMs = { first: 80, factor: 4, last: 5_000 } as const;

/**
 * The user of one session: says what there is to say turn by turn, interferes in between, and says again what got lost
 * with a process before it was kept.
 */
export class User {
  readonly #world: World;
  readonly #id: string;
  readonly #turns: readonly (Interference | null)[];
  readonly #shutsDown: boolean;
  /** What is still to be said, in order; what was put in while the agent was busy comes first. */
  readonly #texts: string[];
  #turn = 0;
  #interfered = false;
  #pausedFor = 0;
  /** What was handed over, and to whom. As long as they live, they have it. */
  readonly #handedOver = new Map<string, Driver>();
  /** Who has not yet said what became of the last wish: until then the user does not turn away, for it may be a pause. */
  #waitsFor: Driver | null = null;
  #readTo = 0;
  #seen = '';
  #glanceMs: number = glanceMs.first;
  #done = false;

  constructor(world: World, index: number) {
    const planned = world.plan.sessions[index];
    this.#world = world;
    this.#id = sessionId(index);
    this.#turns = planned?.turns.map(({ interference }) => interference) ?? [];
    this.#shutsDown = planned?.ending === 'shut-down';
    this.#texts = this.#turns.map((_, turn) => `${this.#id}: do part ${turn}`);
    this.#look();
  }

  /** Everything there was to say has been said and answered. */
  get done(): boolean {
    return this.#done;
  }

  #look(): void {
    const { scheduler } = this.#world;
    const name = `user ${this.#id}`;
    const happen = (): void => {
      const book = this.#world.oracle.books.get(this.#id);
      this.#rest(book);
      if (book !== undefined) this.#glance(book);
      if (!this.#done) this.#look();
    };
    scheduler.add({ owner: 'user', lane: name, name, inMs: this.#glanceMs, happen });
  }

  #rest(book: Book | undefined): void {
    const seen = `${book?.texts.length} ${this.#world.drivers.get(this.#id)?.agent !== null}`;
    const longer = Math.min(this.#glanceMs * glanceMs.factor, glanceMs.last);
    this.#glanceMs = seen === this.#seen ? longer : glanceMs.first;
    this.#seen = seen;
  }

  #glance(book: Book): void {
    const { drivers } = this.#world;
    if (isTerminal(book.session)) {
      this.#done = true;
      return;
    }
    const driver = drivers.get(this.#id);
    if (book.texts.length > this.#readTo + 4) this.#readOn();
    if (driver === undefined || driver.agent === null || driver.process.leaving) return;
    this.#answerTwice(book, driver);
    const { status } = book.session.turn;
    if (status === 'paused') this.#unpause(driver);
    else if (status === 'waitingForUser') this.#sayNext(book, driver);
    else this.#interfere(driver);
  }

  #sayNext(book: Book, driver: Driver): void {
    const text = this.#texts.find((each) => !book.heard.has(each));
    if (text !== undefined) {
      if (this.#handedOver.get(text) === driver && !driver.gone) return;
      this.#turn = this.#texts.indexOf(text);
      this.#interfered = false;
      this.#hand(driver, text, driver.agent?.post({ type: 'user-message', text }));
      return;
    }
    if (this.#shutsDown) this.#post(driver, { type: 'shutdown-requested' });
    else if (this.#waitsFor !== driver) this.#done = true;
  }

  #hand(driver: Driver, text: string, taken: Promise<boolean> | undefined): void {
    this.#handedOver.set(text, driver);
    void taken?.then((isTaken) => {
      if (isTaken) this.#world.oracle.acknowledged(this.#id, text);
      else this.#handedOver.delete(text);
    });
  }

  #interfere(driver: Driver): void {
    const interference = this.#turns[this.#turn] ?? null;
    if (interference === null || this.#interfered) return;
    if (this.#world.choices.choose('interfere', (random) => random.below(3)) === 2) return;
    this.#interfered = true;
    switch (interference) {
      case 'cancel':
        return this.#post(driver, { type: 'cancel-requested' });
      case 'pause':
        this.#pausedFor = 0;
        return this.#post(driver, { type: 'pause-requested', reason: 'a moment, please' });
      case 'finish':
        return this.#post(driver, { type: 'finish-requested', reason: 'that will do' });
      case 'say': {
        const text = `${this.#id}: and then part ${this.#texts.length}`;
        this.#texts.push(text);
        this.#hand(driver, text, driver.agent?.say(text));
        return;
      }
      default:
        return interference satisfies never;
    }
  }

  #unpause(driver: Driver): void {
    this.#pausedFor += 1;
    if (this.#pausedFor > 3) this.#post(driver, { type: 'resume-requested' });
  }

  /** An answer that comes a second time must not be taken. */
  #answerTwice(book: Book, driver: Driver): void {
    if (!this.#world.faults.strikes('double-answer', this.#id)) return;
    const type =
      this.#world.choices.choose('again', (random) => random.below(2)) === 0
        ? 'tool-finished'
        : 'permission-decided';
    const answers = book.texts.map((text) => JSON.parse(text) as Event).filter(isAnswer);
    const kept = answers.findLast((answer) => answer.type === type);
    if (kept === undefined) return;
    const { at: _, ...again } = kept;
    const forged: Unstamped =
      again.type === 'tool-finished'
        ? { ...again, outcome: { ok: true, output: 'forged' } }
        : { ...again, decision: again.decision === 'allow' ? 'deny' : 'allow' };
    this.#post(driver, forged, (taken) => {
      if (taken) this.#world.oracle.fail(7, `${this.#id} took a second ${kept.type} for ${kept.callId}`);
    });
  }

  /** Somebody reads the log, and goes on each time where they were. */
  #readOn(): void {
    const { drivers, oracle, faults, disk, choices } = this.#world;
    const store = drivers.get(this.#id)?.process.store;
    if (store === undefined) return;
    if (faults.strikes('snapshot', this.#id)) {
      void store
        .snapshot(this.#id)
        .catch((error: unknown) => oracle.fail(8, `no snapshot: ${String(error)}`));
      if (faults.strikes('snapshot-damage', this.#id))
        disk.damageSnapshot(
          this.#id,
          choices.choose('damage', (random) => random.below(2)),
        );
    }
    void (async () => {
      for await (const kept of store.events(this.#id, this.#readTo)) {
        oracle.readOn(this.#id, this.#readTo, kept);
        this.#readTo = kept.seq;
      }
    })().catch((error: unknown) =>
      oracle.fail(12, `the log of ${this.#id} cannot be read: ${String(error)}`),
    );
  }

  #post(driver: Driver, event: Unstamped, then: (taken: boolean) => void = () => undefined): void {
    this.#waitsFor = driver;
    void driver.agent?.post(event).then((taken) => {
      if (this.#waitsFor === driver) this.#waitsFor = null;
      then(taken);
    });
  }
}

function isAnswer(event: Event): event is Extract<Event, { type: 'tool-finished' | 'permission-decided' }> {
  return event.type === 'tool-finished' || event.type === 'permission-decided';
}
