import { createSession, isTerminalSession, type Session } from '@pawl/core';
import type { SessionCommand } from '@pawl/runtime/commands';
import { StoreError, type Store } from '@pawl/runtime/store';
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
const personPollMs = { first: 100, factor: 3, last: 5_000 } as const;

/**
 * The person behind one session: submits it, sends further messages as remote commands, interferes, answers approval
 * requests, and resends everything that was not acknowledged under the same request id.
 */
export class SimPerson {
  readonly #workersWorld: WorkersWorld;
  readonly #id: string;
  readonly #planned: PlannedSession;
  readonly #process: SimProcess;
  readonly #store: Store;
  readonly #commands: Store['commands'];
  readonly #texts: string[];
  /** Acknowledged request ids. */
  readonly #acknowledged = new Set<string>();
  /** The command kind of each request. */
  readonly #requested = new Map<string, SessionCommand['kind']>();
  readonly #decisions = new Map<string, 'allow' | 'deny'>();
  readonly #interfered = new Set<number>();
  #lastState = '';
  #pollMs: number = personPollMs.first;
  #done = false;

  constructor(workersWorld: WorkersWorld, index: number, planned: PlannedSession) {
    const { world } = workersWorld;
    this.#workersWorld = workersWorld;
    this.#id = formatSimSessionId(index);
    this.#planned = planned;
    this.#texts = planned.turns.map((_, turn) => `${this.#id}: do part ${turn}`);
    const name = `person ${index}`;
    const store = world.disk.connect();
    this.#process = { name, slot: -1, isAlive: true, isShuttingDown: false, drift: 1, offsetMs: 0, store };
    const driver: SessionDriver = {
      name,
      process: this.#process,
      session: this.#id,
      agent: null,
      isRecovering: false,
      ended: false,
    };
    this.#store = createSimStore(world, driver);
    this.#commands = createCommandsPort(world, name, store.commands);
    void this.#pollUntilDone();
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
    const { fail, ledgers } = this.#workersWorld.world.oracle;
    const ledger = ledgers.get(this.#id);
    if (ledger === undefined || this.#planned.poison === true) return;
    const lost = this.#texts.filter(
      (text) =>
        this.#acknowledged.has(text) && !ledger.userTexts.has(text) && !isTerminalSession(ledger.session),
    );
    for (const text of lost) fail(7, `${JSON.stringify(text)} was acknowledged and never carried out`);
    for (const kind of ['cancel', 'pause', 'finish', 'halt'] as const) {
      const requested = [...this.#requested.values()].filter((each) => each === kind).length;
      const applied = ledger.texts.filter((text) => text.includes(`"type":"${kind}-requested"`)).length;
      if (applied > requested)
        fail(7, `${this.#id} was requested ${requested} times to ${kind}, and has it ${applied} times`);
    }
  }

  async #pollUntilDone(): Promise<void> {
    const { world } = this.#workersWorld;
    while (!this.#done) {
      await waitForScheduler(
        world,
        { process: 'user', kind: this.#id },
        { name: 'look', inMs: this.#pollMs },
      );
      try {
        await this.#poll();
      } catch (error) {
        if (!(error instanceof StoreError)) world.oracle.fail(18, `${this.#id} is refused: ${String(error)}`);
      }
    }
  }

  async #poll(): Promise<void> {
    const ledger = this.#workersWorld.world.oracle.ledgers.get(this.#id);
    this.#updatePollInterval(ledger);
    if (ledger === undefined || ledger.texts.length === 0) return this.#submit();
    if (isTerminalSession(ledger.session)) this.#done = true;
    else if ((await this.#workersWorld.crashLedger.reason(this.#id)) !== null) await this.#retry();
    else if (this.#planned.poison !== true) await this.#continueSession(ledger);
  }

  /** Retries a parked session, unless it is a poison session. */
  async #retry(): Promise<void> {
    const { world, crashLedger, attempts } = this.#workersWorld;
    if (this.#planned.poison === true) {
      this.#done = true;
      return;
    }
    await performRedisCall(world, this.#process.name, 'retry', async () => {
      // Clear the list in place, because a worker that holds the session shares it.
      attempts.get(this.#id)?.splice(0);
      await crashLedger.unpark(this.#id);
    });
    await this.#wake();
  }

  async #continueSession(ledger: SessionLedger): Promise<void> {
    const { turn } = ledger.session;
    switch (turn.status) {
      case 'waitingForUser':
        return this.#sendNext(ledger);
      case 'awaitingPermission':
        for (const { decision, call } of turn.calls)
          if (decision === 'pending') await this.#decide(call, turn.request);
        return;
      case 'paused':
        return this.#sendCommand(`resume ${ledger.session.seq}`, { kind: 'resume' });
      default:
        return this.#interfere(ledger.turns - 1);
    }
  }

  async #sendNext(ledger: SessionLedger): Promise<void> {
    const text = this.#texts.find((each) => !ledger.userTexts.has(each));
    if (text !== undefined) await this.#sendCommand(text, { kind: 'say', text });
    else if (this.#planned.ending === 'shut-down')
      await this.#sendCommand('halt', { kind: 'halt', reason: 'enough' });
    else if ((await this.#process.store.commands.listPending(this.#id)).length === 0) this.#done = true;
  }

  async #decide(call: { readonly id: string; readonly args: unknown }, request: number): Promise<void> {
    const { choices, oracle } = this.#workersWorld.world;
    const mark = getCallMark(call.args);
    const key = `decide ${mark}`;
    if (!this.#requested.has(key)) {
      const decision = choices.choose('answer', (random) => random.below(3)) === 1 ? 'deny' : 'allow';
      oracle.onAnswered(remotePeople, mark, { decision, args: JSON.stringify(call.args) });
      this.#decisions.set(key, decision);
    }
    const decision = this.#decisions.get(key) ?? 'allow';
    await this.#sendCommand(key, { kind: 'decide', callId: call.id, request, decision });
  }

  async #interfere(turn: number): Promise<void> {
    const interference = this.#planned.turns[turn]?.interference ?? null;
    if (interference === null || this.#interfered.has(turn)) return;
    if (this.#workersWorld.world.choices.choose('interfere', (random) => random.below(3)) === 2) return;
    this.#interfered.add(turn);
    const command = this.#toCommand(interference);
    await this.#sendCommand(command.kind === 'say' ? command.text : `${interference} ${turn}`, command);
  }

  #toCommand(interference: UserInterference): SessionCommand {
    if (interference === 'cancel') return { kind: 'cancel' };
    if (interference !== 'say') return { kind: interference, reason: 'please' };
    const text = `${this.#id}: and then part ${this.#texts.length}`;
    this.#texts.push(text);
    return { kind: 'say', text };
  }

  /** Sends a command until it is acknowledged, and sometimes once more. */
  async #sendCommand(requestId: string, command: SessionCommand): Promise<void> {
    const { faults } = this.#workersWorld.world;
    if (this.#acknowledged.has(requestId) && !faults.shouldFail('command-twice', command.kind)) return;
    this.#requested.set(requestId, command.kind);
    await this.#commands.send(this.#id, command, { requestId });
    this.#acknowledged.add(requestId);
    await this.#wake();
  }

  async #wake(): Promise<void> {
    const { world, queue } = this.#workersWorld;
    const { head } = await this.#store.open(this.#id);
    await performRedisCall(world, this.#process.name, 'wake', async () =>
      queue.add({ session: this.#id, version: head }),
    );
  }

  async #submit(): Promise<void> {
    const { world, queue } = this.#workersWorld;
    const now = createSimClock(world, this.#process).now();
    const session: Session = createSession({
      id: this.#id,
      at: now,
      settings: getPlannedSettings(this.#planned),
    });
    const [goal = ''] = this.#texts;
    const add = (wake: WakeJob): Promise<void> =>
      performRedisCall(world, this.#process.name, 'wake', async () => queue.add(wake));
    const dependencies = { store: this.#store, queues: { wake: add } };
    await submitSessionOnce(dependencies, { session, goal }, { owner: this.#process.name, now });
    this.#acknowledged.add(goal);
  }

  #updatePollInterval(ledger: SessionLedger | undefined): void {
    const state = String(ledger?.texts.length);
    const longer = Math.min(this.#pollMs * personPollMs.factor, personPollMs.last);
    this.#pollMs = state === this.#lastState ? longer : personPollMs.first;
    this.#lastState = state;
  }
}
