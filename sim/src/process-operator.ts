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
  #born = 0;
  #driven = 0;

  constructor(world: SimWorld) {
    this.#world = world;
  }

  start(): void {
    const { plan } = this.#world;
    for (let slot = 0; slot < plan.processes; slot += 1) this.#startProcess(slot);
    for (const index of listSessionNumbers(plan)) this.#want(formatSimSessionId(index));
  }

  /** Returns whether a fault occurred. */
  interfere(): boolean {
    const { faults, drivers } = this.#world;
    const recovering = [...drivers.values()].find((driver) => driver.recovering && driver.process.alive);
    const fault = faults.strikesOneOf(recovering === undefined ? anyTimeFaults : recoveryFaults, 'trouble');
    if (fault === null) return false;
    const victim = fault === 'crash-in-recovery' ? recovering?.process : this.#oneOf(this.#living());
    if (victim !== undefined) this.#strike(fault, victim);
    return true;
  }

  /** Crashes a process: its pending calls never complete, and persisted data survives. */
  crash(process: SimProcess): void {
    const { scheduler, drivers } = this.#world;
    process.alive = false;
    scheduler.drop(process.name);
    void process.store.close();
    for (const driver of drivers.values()) if (driver.process === process) this.#gone(driver);
    const inMs = 50 + 50 * this.#draw('restart', 5);
    const happen = (): void => this.#startProcess(process.slot);
    scheduler.add({ owner: 'operator', lane: 'operator', name: `start p${process.slot}`, inMs, happen });
  }

  /** Detaches all agents; resolves when they are detached. */
  async stopAll(): Promise<void> {
    await detachAgents([...this.#world.drivers.values()], 1_000);
  }

  #strike(fault: FaultName, process: SimProcess): void {
    if (fault === 'crash' || fault === 'crash-in-recovery') this.crash(process);
    if (fault === 'take-over') this.#takeOver();
    if (fault === 'leave' && !process.leaving) this.#leave(process);
    if (fault === 'clock-jump') process.shift += this.#draw('jump', 2) === 0 ? -hourMs : hourMs;
  }

  #startProcess(slot: number): void {
    const { faults, disk } = this.#world;
    this.#born += 1;
    const drift = faults.strikes('clock-drift', 'birth') ? 1.5 : 1;
    const name = `p${slot}.${this.#born}`;
    this.processes[slot] = {
      name,
      slot,
      alive: true,
      leaving: false,
      drift,
      shift: 0,
      store: disk.connect(),
    };
  }

  /** Schedules a session to be resumed, unless a process runs it or it has ended. */
  #want(session: string): void {
    const { oracle, drivers, scheduler } = this.#world;
    const book = oracle.books.get(session);
    if (this.#waiting.has(session) || drivers.has(session)) return;
    if (book !== undefined && isTerminalSession(book.session)) return;
    this.#waiting.add(session);
    const inMs = 100 + 600 * this.#draw('patience', 3);
    const happen = (): void => this.#takeUp(session);
    scheduler.add({ owner: 'operator', lane: 'operator', name: `take up ${session}`, inMs, happen });
  }

  #takeUp(session: string): void {
    const { oracle, drivers } = this.#world;
    this.#waiting.delete(session);
    if (drivers.has(session)) return;
    const process = this.#oneOf(this.#living().filter(({ leaving }) => !leaving));
    if (process === undefined) this.#want(session);
    else this.#run(process, session, oracle.books.get(session)?.fence);
  }

  /** Takes over a session from a live process that does not know about it. */
  #takeOver(): void {
    const { drivers } = this.#world;
    const driver = this.#oneOf([...drivers.values()].filter(({ agent }) => agent !== null));
    const other = this.#living().find((each) => !each.leaving && each !== driver?.process);
    if (driver !== undefined && other !== undefined) this.#run(other, driver.session, undefined);
  }

  #run(process: SimProcess, session: string, from: number | undefined): void {
    this.#driven += 1;
    const name = `${process.name}/${session}.${this.#driven}`;
    const driver: SessionDriver = { name, process, session, agent: null, recovering: true, gone: false };
    this.#world.drivers.set(session, driver);
    const onGone = (gone: SessionDriver): void => this.#gone(gone);
    void driveSession(this.#world, driver, { ...(from !== undefined && { from }), onGone });
  }

  #gone(driver: SessionDriver): void {
    const { drivers } = this.#world;
    driver.gone = true;
    if (drivers.get(driver.session) === driver) drivers.delete(driver.session);
    this.#want(driver.session);
  }

  /** Shuts a process down with a grace period. */
  #leave(process: SimProcess): void {
    process.leaving = true;
    const graceMs = [2_000, 0, 30][this.#draw('grace', 3)] ?? 2_000;
    const own = [...this.#world.drivers.values()].filter((driver) => driver.process === process);
    void detachAgents(own, graceMs).then(() => {
      if (process.alive) this.crash(process);
    });
  }

  #living(): readonly SimProcess[] {
    return this.processes.filter(({ alive }) => alive);
  }

  #oneOf<Item>(items: readonly Item[]): Item | undefined {
    return items.length < 2 ? items[0] : items[this.#draw('which', items.length) % items.length];
  }

  #draw(name: string, limit: number): number {
    return this.#world.choices.choose(name, (random) => random.below(limit));
  }
}

async function detachAgents(drivers: readonly SessionDriver[], graceMs: number): Promise<void> {
  await Promise.all(drivers.map(async ({ agent }) => agent?.detach({ graceMs })));
}
