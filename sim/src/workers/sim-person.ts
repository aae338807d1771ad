import { createSession, isTerminalSession, type Session } from '@pawl/core';
import { StoreError, type SessionCommand, type Store } from '@pawl/runtime';
import type { WakeJob } from '../../../packages/worker/src/tenant-queues.ts';
import { submitSessionOnce } from '../../../packages/worker/src/submit-session.ts';
import { getPlannedSettings } from '../drive-session.ts';
import { getCallMark, type SessionLedger } from '../oracle/session-ledger.ts';
import { remotePeople } from '../oracle/call-checks.ts';
import { formatSimSessionId, type UserInterference, type PlannedSession } from '../plan.ts';
import { waitForScheduler } from '../port-call.ts';
import { createSimClock } from '../sim-clock.ts';
import { createSimStore } from '../sim-store.ts';
import type { SessionDriver, SimProcess } from '../sim-world.ts';
import type { WorkersWorld } from './workers-world.ts';
import { createCommandsPort, performRedisCall } from './redis-ports.ts';

/** Polling interval of the person, with exponential backoff while nothing changes. */
const personGlanceMs = { first: 100, factor: 3, last: 5_000 } as const;

/**
 * The person behind one session: submits it, sends further messages as remote commands, interferes, answers approval
 * requests, and resends everything that was not acknowledged under the same request id.
 */
export class SimPerson {
  readonly #crew: WorkersWorld;
  readonly #id: string;
  readonly #planned: PlannedSession;
  readonly #process: SimProcess;
  readonly #store: Store;
  readonly #commands: Store['commands'];
  readonly #texts: string[];
  /** Acknowledged request ids. */
  readonly #acknowledged = new Set<string>();
  /** The command kind of each request. */
  readonly #asked = new Map<string, SessionCommand['kind']>();
  readonly #decisions = new Map<string, 'allow' | 'deny'>();
  readonly #interfered = new Set<number>();
  #seen = '';
  #glanceMs: number = personGlanceMs.first;
  #done = false;

  constructor(crew: WorkersWorld, index: number, planned: PlannedSession) {
    const { world } = crew;
    this.#crew = crew;
    this.#id = formatSimSessionId(index);
    this.#planned = planned;
    this.#texts = planned.turns.map((_, turn) => `${this.#id}: do part ${turn}`);
    const name = `person ${index}`;
    const store = world.disk.connect();
    this.#process = { name, slot: -1, alive: true, leaving: false, drift: 1, shift: 0, store };
    const driver: SessionDriver = {
      name,
      process: this.#process,
      session: this.#id,
      agent: null,
      recovering: false,
      gone: false,
    };
    this.#store = createSimStore(world, driver);
    this.#commands = createCommandsPort(world, name, store.commands);
    void this.#attend();
  }

  /** Whether all messages have been sent and answered. */
  get done(): boolean {
    return this.#done;
  }

  close(): Promise<void> {
    return this.#process.store.close();
  }

  /** Final check: acknowledged commands were applied, and none was applied more often than requested. */
  check(): void {
    const { fail, books } = this.#crew.world.oracle;
    const book = books.get(this.#id);
    if (book === undefined || this.#planned.poison === true) return;
    const lost = this.#texts.filter(
      (text) => this.#acknowledged.has(text) && !book.heard.has(text) && !isTerminalSession(book.session),
    );
    for (const text of lost) fail(7, `${JSON.stringify(text)} was acknowledged and never carried out`);
    for (const kind of ['cancel', 'pause', 'finish', 'halt'] as const) {
      const asked = [...this.#asked.values()].filter((each) => each === kind).length;
      const kept = book.texts.filter((text) => text.includes(`"type":"${kind}-requested"`)).length;
      if (kept > asked) fail(7, `${this.#id} was asked ${asked} times to ${kind}, and has it ${kept} times`);
    }
  }

  async #attend(): Promise<void> {
    const { world } = this.#crew;
    while (!this.#done) {
      await waitForScheduler(
        world,
        { process: 'user', kind: this.#id },
        { name: 'look', inMs: this.#glanceMs },
      );
      try {
        await this.#look();
      } catch (error) {
        if (!(error instanceof StoreError)) world.oracle.fail(18, `${this.#id} is refused: ${String(error)}`);
      }
    }
  }

  async #look(): Promise<void> {
    const book = this.#crew.world.oracle.books.get(this.#id);
    this.#rest(book);
    if (book === undefined || book.texts.length === 0) return this.#submit();
    if (isTerminalSession(book.session)) this.#done = true;
    else if ((await this.#crew.care.reason(this.#id)) !== null) await this.#retry();
    else if (this.#planned.poison !== true) await this.#goOn(book);
  }

  /** Retries a parked session, unless it is a poison session. */
  async #retry(): Promise<void> {
    const { world, care, takings } = this.#crew;
    if (this.#planned.poison === true) {
      this.#done = true;
      return;
    }
    await performRedisCall(world, this.#process.name, 'retry', async () => {
      // Clear the list in place, because a worker that holds the session shares it.
      takings.get(this.#id)?.splice(0);
      await care.unpark(this.#id);
    });
    await this.#wake();
  }

  async #goOn(book: SessionLedger): Promise<void> {
    const { turn } = book.session;
    switch (turn.status) {
      case 'waitingForUser':
        return this.#sayNext(book);
      case 'awaitingPermission':
        for (const { decision, call } of turn.calls)
          if (decision === 'pending') await this.#decide(call, turn.request);
        return;
      case 'paused':
        return this.#ask(`resume ${book.session.seq}`, { kind: 'resume' });
      default:
        return this.#interfere(book.turns - 1);
    }
  }

  async #sayNext(book: SessionLedger): Promise<void> {
    const text = this.#texts.find((each) => !book.heard.has(each));
    if (text !== undefined) await this.#ask(text, { kind: 'say', text });
    else if (this.#planned.ending === 'shut-down')
      await this.#ask('halt', { kind: 'halt', reason: 'enough' });
    else if ((await this.#process.store.commands.listPending(this.#id)).length === 0) this.#done = true;
  }

  async #decide(call: { readonly id: string; readonly args: unknown }, request: number): Promise<void> {
    const { choices, oracle } = this.#crew.world;
    const mark = getCallMark(call.args);
    const key = `decide ${mark}`;
    if (!this.#asked.has(key)) {
      const decision = choices.choose('answer', (random) => random.below(3)) === 1 ? 'deny' : 'allow';
      oracle.answered(remotePeople, mark, { decision, args: JSON.stringify(call.args) });
      this.#decisions.set(key, decision);
    }
    const decision = this.#decisions.get(key) ?? 'allow';
    await this.#ask(key, { kind: 'decide', callId: call.id, request, decision });
  }

  async #interfere(turn: number): Promise<void> {
    const interference = this.#planned.turns[turn]?.interference ?? null;
    if (interference === null || this.#interfered.has(turn)) return;
    if (this.#crew.world.choices.choose('interfere', (random) => random.below(3)) === 2) return;
    this.#interfered.add(turn);
    const command = this.#commandFor(interference);
    await this.#ask(command.kind === 'say' ? command.text : `${interference} ${turn}`, command);
  }

  #commandFor(interference: UserInterference): SessionCommand {
    if (interference === 'cancel') return { kind: 'cancel' };
    if (interference !== 'say') return { kind: interference, reason: 'please' };
    const text = `${this.#id}: and then part ${this.#texts.length}`;
    this.#texts.push(text);
    return { kind: 'say', text };
  }

  /** Sends a command until it is acknowledged, and sometimes once more. */
  async #ask(requestId: string, command: SessionCommand): Promise<void> {
    const { faults } = this.#crew.world;
    if (this.#acknowledged.has(requestId) && !faults.strikes('command-twice', command.kind)) return;
    this.#asked.set(requestId, command.kind);
    await this.#commands.send(this.#id, command, { requestId });
    this.#acknowledged.add(requestId);
    await this.#wake();
  }

  async #wake(): Promise<void> {
    const { world, queue } = this.#crew;
    const { head } = await this.#store.open(this.#id);
    await performRedisCall(world, this.#process.name, 'wake', async () =>
      queue.add({ session: this.#id, version: head }),
    );
  }

  async #submit(): Promise<void> {
    const { world, queue } = this.#crew;
    const now = createSimClock(world, this.#process).now();
    const session: Session = createSession({
      id: this.#id,
      at: now,
      settings: getPlannedSettings(this.#planned),
    });
    const [goal = ''] = this.#texts;
    const add = (wake: WakeJob): Promise<void> =>
      performRedisCall(world, this.#process.name, 'wake', async () => queue.add(wake));
    const means = { store: this.#store, queues: { wake: add } };
    await submitSessionOnce(means, { session, goal }, { owner: this.#process.name, now });
    this.#acknowledged.add(goal);
  }

  #rest(book: SessionLedger | undefined): void {
    const seen = String(book?.texts.length);
    const longer = Math.min(this.#glanceMs * personGlanceMs.factor, personGlanceMs.last);
    this.#glanceMs = seen === this.#seen ? longer : personGlanceMs.first;
    this.#seen = seen;
  }
}
