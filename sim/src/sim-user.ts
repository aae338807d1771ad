import { isTerminalSession, type Event } from '@pawl/core';
import type { UnstampedEvent } from '@pawl/runtime';
import type { SessionLedger } from './oracle/session-ledger.ts';
import { formatSimSessionId, type UserInterference } from './plan.ts';
import type { SessionDriver, SimWorld } from './sim-world.ts';

/** Polling interval of the user, with exponential backoff while nothing changes. */
const userGlanceMs = { first: 80, factor: 4, last: 5_000 } as const;

/**
 * The user of one session: sends the planned messages turn by turn, interferes in between, and resends messages that
 * were lost with a process before they were persisted.
 */
export class SimUser {
  readonly #world: SimWorld;
  readonly #id: string;
  readonly #turns: readonly (UserInterference | null)[];
  readonly #shutsDown: boolean;
  /** Messages still to send, in order, including those added while the agent was working. */
  readonly #texts: string[];
  #turn = 0;
  #interfered = false;
  #pausedFor = 0;
  /** Messages handed to a driver, which holds them while it is alive. */
  readonly #handedOver = new Map<string, SessionDriver>();
  /** The driver that has not acknowledged the last request yet; the user waits for it, because it may be a pause. */
  #waitsFor: SessionDriver | null = null;
  #readTo = 0;
  #seen = '';
  #glanceMs: number = userGlanceMs.first;
  #done = false;

  constructor(world: SimWorld, index: number) {
    const planned = world.plan.sessions[index];
    this.#world = world;
    this.#id = formatSimSessionId(index);
    this.#turns = planned?.turns.map(({ interference }) => interference) ?? [];
    this.#shutsDown = planned?.ending === 'shut-down';
    this.#texts = this.#turns.map((_, turn) => `${this.#id}: do part ${turn}`);
    this.#look();
  }

  /** Whether all messages have been sent and answered. */
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

  #rest(book: SessionLedger | undefined): void {
    const seen = `${book?.texts.length} ${this.#world.drivers.get(this.#id)?.agent !== null}`;
    const longer = Math.min(this.#glanceMs * userGlanceMs.factor, userGlanceMs.last);
    this.#glanceMs = seen === this.#seen ? longer : userGlanceMs.first;
    this.#seen = seen;
  }

  #glance(book: SessionLedger): void {
    const { drivers } = this.#world;
    if (isTerminalSession(book.session)) {
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

  #sayNext(book: SessionLedger, driver: SessionDriver): void {
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

  #hand(driver: SessionDriver, text: string, taken: Promise<boolean> | undefined): void {
    this.#handedOver.set(text, driver);
    void taken?.then((isTaken) => {
      if (isTaken) this.#world.oracle.acknowledged(this.#id, text);
      else this.#handedOver.delete(text);
    });
  }

  #interfere(driver: SessionDriver): void {
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
        this.#hand(driver, text, driver.agent?.sendMessage(text));
        return;
      }
      default:
        return interference satisfies never;
    }
  }

  #unpause(driver: SessionDriver): void {
    this.#pausedFor += 1;
    if (this.#pausedFor > 3) this.#post(driver, { type: 'resume-requested' });
  }

  /** A repeated answer must be rejected. */
  #answerTwice(book: SessionLedger, driver: SessionDriver): void {
    if (!this.#world.faults.strikes('double-answer', this.#id)) return;
    const type =
      this.#world.choices.choose('again', (random) => random.below(2)) === 0
        ? 'tool-finished'
        : 'permission-decided';
    const answers = book.texts.map((text) => JSON.parse(text) as Event).filter(isUserAnswerEvent);
    const kept = answers.findLast((answer) => answer.type === type);
    if (kept === undefined) return;
    const { at: _, ...again } = kept;
    const forged: UnstampedEvent =
      again.type === 'tool-finished'
        ? { ...again, outcome: { ok: true, output: 'forged' } }
        : { ...again, decision: again.decision === 'allow' ? 'deny' : 'allow' };
    this.#post(driver, forged, (taken) => {
      if (taken) this.#world.oracle.fail(7, `${this.#id} took a second ${kept.type} for ${kept.callId}`);
    });
  }

  /** Reads the log incrementally, continuing after the last event read. */
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

  #post(
    driver: SessionDriver,
    event: UnstampedEvent,
    then: (taken: boolean) => void = () => undefined,
  ): void {
    this.#waitsFor = driver;
    void driver.agent?.post(event).then((taken) => {
      if (this.#waitsFor === driver) this.#waitsFor = null;
      then(taken);
    });
  }
}

function isUserAnswerEvent(
  event: Event,
): event is Extract<Event, { type: 'tool-finished' | 'permission-decided' }> {
  return event.type === 'tool-finished' || event.type === 'permission-decided';
}
