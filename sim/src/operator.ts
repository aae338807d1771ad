import { isTerminal } from '@pawl/core';
import { drive } from './drive.ts';
import type { FaultName } from './faults.ts';
import { sessionId, sessionNumbers } from './plan.ts';
import type { Driver, SimProcess, World } from './world.ts';

const hourMs = 3_600_000;

/** What may strike between any two things that happen. */
const anyTime = ['crash', 'take-over', 'leave', 'clock-jump'] as const satisfies readonly FaultName[];
const inRecovery = [...anyTime, 'crash-in-recovery'] as const satisfies readonly FaultName[];

/** Starts processes, has sessions taken up, and does to processes what is done to processes. */
export class Operator {
  readonly processes: SimProcess[] = [];
  readonly #world: World;
  /** Sessions that somebody will take up soon. */
  readonly #waiting = new Set<string>();
  #born = 0;
  #driven = 0;

  constructor(world: World) {
    this.#world = world;
  }

  start(): void {
    const { plan } = this.#world;
    for (let slot = 0; slot < plan.processes; slot += 1) this.#startProcess(slot);
    for (const index of sessionNumbers(plan)) this.#want(sessionId(index));
  }

  /** Whether anything struck. */
  interfere(): boolean {
    const { faults, drivers } = this.#world;
    const recovering = [...drivers.values()].find((driver) => driver.recovering && driver.process.alive);
    const fault = faults.strikesOneOf(recovering === undefined ? anyTime : inRecovery, 'trouble');
    if (fault === null) return false;
    const victim = fault === 'crash-in-recovery' ? recovering?.process : this.#oneOf(this.#living());
    if (victim !== undefined) this.#strike(fault, victim);
    return true;
  }

  /** The process ends without a word: nothing it waits for will ever come. What was kept stays. */
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

  /** Has everybody let go of everything; resolves when they have. */
  async stopAll(): Promise<void> {
    await leaveAll([...this.#world.drivers.values()], 1_000);
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

  /** Has a session taken up that nobody runs and that has not ended. */
  #want(session: string): void {
    const { oracle, drivers, scheduler } = this.#world;
    const book = oracle.books.get(session);
    if (this.#waiting.has(session) || drivers.has(session)) return;
    if (book !== undefined && isTerminal(book.session)) return;
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

  /** Takes a session from a process that lives and does not know of it. */
  #takeOver(): void {
    const { drivers } = this.#world;
    const driver = this.#oneOf([...drivers.values()].filter(({ agent }) => agent !== null));
    const other = this.#living().find((each) => !each.leaving && each !== driver?.process);
    if (driver !== undefined && other !== undefined) this.#run(other, driver.session, undefined);
  }

  #run(process: SimProcess, session: string, from: number | undefined): void {
    this.#driven += 1;
    const name = `${process.name}/${session}.${this.#driven}`;
    const driver: Driver = { name, process, session, agent: null, recovering: true, gone: false };
    this.#world.drivers.set(session, driver);
    const onGone = (gone: Driver): void => this.#gone(gone);
    void drive(this.#world, driver, { ...(from !== undefined && { from }), onGone });
  }

  #gone(driver: Driver): void {
    const { drivers } = this.#world;
    driver.gone = true;
    if (drivers.get(driver.session) === driver) drivers.delete(driver.session);
    this.#want(driver.session);
  }

  /** Told to end: it has a moment to bring things to an end, then it is gone. */
  #leave(process: SimProcess): void {
    process.leaving = true;
    const graceMs = [2_000, 0, 30][this.#draw('grace', 3)] ?? 2_000;
    const own = [...this.#world.drivers.values()].filter((driver) => driver.process === process);
    void leaveAll(own, graceMs).then(() => {
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

async function leaveAll(drivers: readonly Driver[], graceMs: number): Promise<void> {
  await Promise.all(drivers.map(async ({ agent }) => agent?.leave({ graceMs })));
}
