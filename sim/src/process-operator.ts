import { isTerminalSession } from '@pawl/core';
import { driveSession } from './drive-session.ts';
import type { FaultName } from './fault-injector.ts';
import { formatSimSessionId, listSessionNumbers } from './plan.ts';
import type { SessionDriver, SimProcess, SimWorld } from './sim-world.ts';

const hourMs = 3_600_000;

/** Faults that can occur between any two steps. */
const anyTimeFaults = ['crash', 'take-over', 'leave', 'clock-jump'] as const satisfies readonly FaultName[];
const recoveryFaults = [...anyTimeFaults, 'crash-in-recovery'] as const satisfies readonly FaultName[];

/** Starts processes, assigns sessions to them and injects process faults. */
export class ProcessOperator {
  readonly processes: SimProcess[] = [];
  readonly #world: SimWorld;
  /** Sessions that are scheduled to be resumed. */
  readonly #waiting = new Set<string>();
  #startedCount = 0;
  #driverCount = 0;

  constructor(world: SimWorld) {
    this.#world = world;
  }

  start(): void {
    const { plan } = this.#world;
    for (let slot = 0; slot < plan.processes; slot += 1) this.#startProcess(slot);
    for (const index of listSessionNumbers(plan)) this.#scheduleResume(formatSimSessionId(index));
  }

  /** Returns whether a fault occurred. */
  interfere(): boolean {
    const { faults, drivers } = this.#world;
    const recovering = [...drivers.values()].find((driver) => driver.isRecovering && driver.process.isAlive);
    const fault = faults.drawFault(recovering === undefined ? anyTimeFaults : recoveryFaults, 'trouble');
    if (fault === null) return false;
    const target = fault === 'crash-in-recovery' ? recovering?.process : this.#pickOne(this.#listAlive());
    if (target !== undefined) this.#injectFault(fault, target);
    return true;
  }

  /** Crashes a process: its pending calls never complete, and persisted data survives. */
  crash(process: SimProcess): void {
    const { scheduler, drivers } = this.#world;
    process.isAlive = false;
    scheduler.drop(process.name);
    void process.store.close();
    for (const driver of drivers.values()) if (driver.process === process) this.#onDriverEnded(driver);
    const inMs = 50 + 50 * this.#draw('restart', 5);
    const run = (): void => this.#startProcess(process.slot);
    scheduler.add({ owner: 'operator', lane: 'operator', name: `start p${process.slot}`, inMs, run });
  }

  /** Detaches all agents; resolves when they are detached. */
  async stopAll(): Promise<void> {
    await detachAgents([...this.#world.drivers.values()], 1_000);
  }

  #injectFault(fault: FaultName, process: SimProcess): void {
    if (fault === 'crash' || fault === 'crash-in-recovery') this.crash(process);
    if (fault === 'take-over') this.#takeOver();
    if (fault === 'leave' && !process.isShuttingDown) this.#shutDown(process);
    if (fault === 'clock-jump') process.offsetMs += this.#draw('jump', 2) === 0 ? -hourMs : hourMs;
  }

  #startProcess(slot: number): void {
    const { faults, disk } = this.#world;
    this.#startedCount += 1;
    const drift = faults.shouldFail('clock-drift', 'birth') ? 1.5 : 1;
    const name = `p${slot}.${this.#startedCount}`;
    this.processes[slot] = {
      name,
      slot,
      isAlive: true,
      isShuttingDown: false,
      drift,
      offsetMs: 0,
      store: disk.connect(),
    };
  }

  /** Schedules a session to be resumed, unless a process runs it or it has ended. */
  #scheduleResume(session: string): void {
    const { oracle, drivers, scheduler } = this.#world;
    const ledger = oracle.ledgers.get(session);
    if (this.#waiting.has(session) || drivers.has(session)) return;
    if (ledger !== undefined && isTerminalSession(ledger.session)) return;
    this.#waiting.add(session);
    const inMs = 100 + 600 * this.#draw('patience', 3);
    const run = (): void => this.#resume(session);
    scheduler.add({ owner: 'operator', lane: 'operator', name: `take up ${session}`, inMs, run });
  }

  #resume(session: string): void {
    const { oracle, drivers } = this.#world;
    this.#waiting.delete(session);
    if (drivers.has(session)) return;
    const process = this.#pickOne(this.#listAlive().filter(({ isShuttingDown }) => !isShuttingDown));
    if (process === undefined) this.#scheduleResume(session);
    else this.#drive(process, session, oracle.ledgers.get(session)?.fence);
  }

  /** Takes over a session from a live process that does not know about it. */
  #takeOver(): void {
    const { drivers } = this.#world;
    const driver = this.#pickOne([...drivers.values()].filter(({ agent }) => agent !== null));
    const other = this.#listAlive().find((each) => !each.isShuttingDown && each !== driver?.process);
    if (driver !== undefined && other !== undefined) this.#drive(other, driver.session, undefined);
  }

  #drive(process: SimProcess, session: string, from: number | undefined): void {
    this.#driverCount += 1;
    const name = `${process.name}/${session}.${this.#driverCount}`;
    const driver: SessionDriver = { name, process, session, agent: null, isRecovering: true, ended: false };
    this.#world.drivers.set(session, driver);
    const onEnded = (ended: SessionDriver): void => this.#onDriverEnded(ended);
    void driveSession(this.#world, driver, { ...(from !== undefined && { from }), onEnded });
  }

  #onDriverEnded(driver: SessionDriver): void {
    const { drivers } = this.#world;
    driver.ended = true;
    if (drivers.get(driver.session) === driver) drivers.delete(driver.session);
    this.#scheduleResume(driver.session);
  }

  /** Shuts a process down with a grace period. */
  #shutDown(process: SimProcess): void {
    process.isShuttingDown = true;
    const graceMs = [2_000, 0, 30][this.#draw('grace', 3)] ?? 2_000;
    const own = [...this.#world.drivers.values()].filter((driver) => driver.process === process);
    void detachAgents(own, graceMs).then(() => {
      if (process.isAlive) this.crash(process);
    });
  }

  #listAlive(): readonly SimProcess[] {
    return this.processes.filter(({ isAlive }) => isAlive);
  }

  #pickOne<Item>(items: readonly Item[]): Item | undefined {
    return items.length < 2 ? items[0] : items[this.#draw('which', items.length) % items.length];
  }

  #draw(name: string, limit: number): number {
    return this.#world.choices.choose(name, (random) => random.below(limit));
  }
}

async function detachAgents(drivers: readonly SessionDriver[], graceMs: number): Promise<void> {
  await Promise.all(drivers.map(async ({ agent }) => agent?.detach({ graceMs })));
}
