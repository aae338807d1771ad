import { isTerminalSession, type Event } from '@pawl/core';
import type { UnstampedEvent } from '@pawl/runtime';
import type { SessionLedger } from './oracle/session-ledger.ts';
import { formatSimSessionId, type UserInterference } from './plan.ts';
import type { SessionDriver, SimWorld } from './sim-world.ts';

/** Polling interval of the user, with exponential backoff while nothing changes. */
const userPollMs = { first: 80, factor: 4, last: 5_000 } as const;

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
  #waitingFor: SessionDriver | null = null;
  #readSeq = 0;
  #lastState = '';
  #pollMs: number = userPollMs.first;
  #done = false;

  constructor(world: SimWorld, index: number) {
    const planned = world.plan.sessions[index];
    this.#world = world;
    this.#id = formatSimSessionId(index);
    this.#turns = planned?.turns.map(({ interference }) => interference) ?? [];
    this.#shutsDown = planned?.ending === 'shut-down';
    this.#texts = this.#turns.map((_, turn) => `${this.#id}: do part ${turn}`);
    this.#schedulePoll();
  }

  /** Whether all messages have been sent and answered. */
  get done(): boolean {
    return this.#done;
  }

  #schedulePoll(): void {
    const { scheduler } = this.#world;
    const name = `user ${this.#id}`;
    const run = (): void => {
      const ledger = this.#world.oracle.ledgers.get(this.#id);
      this.#updatePollInterval(ledger);
      if (ledger !== undefined) this.#poll(ledger);
      if (!this.#done) this.#schedulePoll();
    };
    scheduler.add({ owner: 'user', lane: name, name, inMs: this.#pollMs, run });
  }

  #updatePollInterval(ledger: SessionLedger | undefined): void {
    const state = `${ledger?.texts.length} ${this.#world.drivers.get(this.#id)?.agent !== null}`;
    const longer = Math.min(this.#pollMs * userPollMs.factor, userPollMs.last);
    this.#pollMs = state === this.#lastState ? longer : userPollMs.first;
    this.#lastState = state;
  }

  #poll(ledger: SessionLedger): void {
    const { drivers } = this.#world;
    if (isTerminalSession(ledger.session)) {
      this.#done = true;
      return;
    }
    const driver = drivers.get(this.#id);
    if (ledger.texts.length > this.#readSeq + 4) this.#readLog();
    if (driver === undefined || driver.agent === null || driver.process.isShuttingDown) return;
    this.#answerTwice(ledger, driver);
    const { status } = ledger.session.turn;
    if (status === 'paused') this.#unpause(driver);
    else if (status === 'waitingForUser') this.#sendNext(ledger, driver);
    else this.#interfere(driver);
  }

  #sendNext(ledger: SessionLedger, driver: SessionDriver): void {
    const text = this.#texts.find((each) => !ledger.userTexts.has(each));
    if (text !== undefined) {
      if (this.#handedOver.get(text) === driver && !driver.ended) return;
      this.#turn = this.#texts.indexOf(text);
      this.#interfered = false;
      this.#handOver(driver, text, driver.agent?.post({ type: 'user-message', text }));
      return;
    }
    if (this.#shutsDown) this.#post(driver, { type: 'shutdown-requested' });
    else if (this.#waitingFor !== driver) this.#done = true;
  }

  #handOver(driver: SessionDriver, text: string, accepted: Promise<boolean> | undefined): void {
    this.#handedOver.set(text, driver);
    void accepted?.then((isAccepted) => {
      if (isAccepted) this.#world.oracle.onAcknowledged(this.#id, text);
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
        this.#handOver(driver, text, driver.agent?.sendMessage(text));
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
  #answerTwice(ledger: SessionLedger, driver: SessionDriver): void {
    if (!this.#world.faults.shouldFail('double-answer', this.#id)) return;
    const type =
      this.#world.choices.choose('again', (random) => random.below(2)) === 0
        ? 'tool-finished'
        : 'permission-decided';
    const answers = ledger.texts.map((text) => JSON.parse(text) as Event).filter(isUserAnswerEvent);
    const stored = answers.findLast((answer) => answer.type === type);
    if (stored === undefined) return;
    const { at: _, ...again } = stored;
    const forged: UnstampedEvent =
      again.type === 'tool-finished'
        ? { ...again, outcome: { ok: true, output: 'forged' } }
        : { ...again, decision: again.decision === 'allow' ? 'deny' : 'allow' };
    this.#post(driver, forged, (accepted) => {
      if (accepted)
        this.#world.oracle.fail(7, `${this.#id} took a second ${stored.type} for ${stored.callId}`);
    });
  }

  /** Reads the log incrementally, continuing after the last event read. */
  #readLog(): void {
    const { drivers, oracle, faults, disk, choices } = this.#world;
    const store = drivers.get(this.#id)?.process.store;
    if (store === undefined) return;
    if (faults.shouldFail('snapshot', this.#id)) {
      void store
        .snapshot(this.#id)
        .catch((error: unknown) => oracle.fail(8, `no snapshot: ${String(error)}`));
      if (faults.shouldFail('snapshot-damage', this.#id))
        disk.damageSnapshot(
          this.#id,
          choices.choose('damage', (random) => random.below(2)),
        );
    }
    void (async () => {
      for await (const stored of store.events(this.#id, this.#readSeq)) {
        oracle.onRead(this.#id, this.#readSeq, stored);
        this.#readSeq = stored.seq;
      }
    })().catch((error: unknown) =>
      oracle.fail(12, `the log of ${this.#id} cannot be read: ${String(error)}`),
    );
  }

  #post(
    driver: SessionDriver,
    event: UnstampedEvent,
    then: (accepted: boolean) => void = () => undefined,
  ): void {
    this.#waitingFor = driver;
    void driver.agent?.post(event).then((accepted) => {
      if (this.#waitingFor === driver) this.#waitingFor = null;
      then(accepted);
    });
  }
}

function isUserAnswerEvent(
  event: Event,
): event is Extract<Event, { type: 'tool-finished' | 'permission-decided' }> {
  return event.type === 'tool-finished' || event.type === 'permission-decided';
}
