import { createRandomChoices, type ChoiceSource } from '../choices.ts';
import type { FaultName } from '../fault-injector.ts';
import { findPlannedSession, listSessionNumbers, type SimPlan } from '../plan.ts';
import { drainMicrotasks } from '../scheduler.ts';
import { createSimWorld, healFaults, toSimRun, type SimRun } from '../simulate.ts';
import type { SimProcess, SimWorld } from '../sim-world.ts';
import { soundWorkerParts, type WorkersWorld, type WorkerCounts, type WorkerParts } from './workers-world.ts';
import { SimPerson } from './sim-person.ts';
import { createSimCrashLedger } from './sim-crash-ledger.ts';
import { SimQueue } from './sim-queue.ts';
import { SimWorker } from './sim-worker.ts';

/** Maximum length of the fault phase, then the limits within which the system must come to rest. */
const workersChaosSteps = 2_000;
const workersCalmSteps = 20_000;
const workersCalmMs = 60 * 60_000;
const hourMs = 3_600_000;

const workerAnyTimeFaults = [
  'crash',
  'stop',
  'leave',
  'clock-jump',
  'lock-lost',
] as const satisfies readonly FaultName[];

/** `lateStarts` counts all calls started after another driver had claimed the session. */
export type WorkersRun = SimRun & { readonly workers: WorkerCounts };

export type WorkersSimulationOptions = { readonly choices?: ChoiceSource; readonly parts?: WorkerParts };

/** Runs a plan with workers on a queue, to its end or to the first violation. */
export async function simulateWorkers(
  plan: SimPlan,
  simulation: WorkersSimulationOptions = {},
): Promise<WorkersRun> {
  const foreman = new WorkerSupervisor(plan, simulation);
  try {
    await foreman.run();
  } finally {
    await foreman.close();
  }
  return foreman.report();
}

/** Starts workers and injects worker faults. */
class WorkerSupervisor {
  readonly #world: SimWorld;
  readonly #crew: WorkersWorld;
  readonly #workers: SimWorker[] = [];
  readonly #people: readonly SimPerson[];
  #born = 0;
  #isClosing = false;

  constructor(
    plan: SimPlan,
    { choices = createRandomChoices(plan.seed), parts = soundWorkerParts }: WorkersSimulationOptions,
  ) {
    this.#world = createSimWorld(plan, { choices });
    const onReady = (): void => {
      for (const worker of this.#workers) worker.fetch();
    };
    this.#crew = {
      world: this.#world,
      queue: new SimQueue(this.#world, onReady),
      care: createSimCrashLedger((id) => this.#world.oracle.books.get(id)?.texts.length ?? null),
      parts,
      takings: new Map(),
      counts: { stops: 0, crashes: 0, takings: 0, parked: 0, swept: 0 },
    };
    for (let slot = 0; slot < plan.processes; slot += 1) this.#start(slot);
    this.#people = listSessionNumbers(plan).flatMap((number) => {
      const planned = plan.sessions[number];
      return planned === undefined ? [] : [new SimPerson(this.#crew, number, planned)];
    });
  }

  async run(): Promise<void> {
    const { scheduler, oracle } = this.#world;
    const isOver = (): boolean => oracle.violation !== null || this.#people.every(({ done }) => done);
    while (scheduler.steps < workersChaosSteps && !isOver()) {
      this.#interfere();
      await drainMicrotasks();
      if ((await scheduler.step()) === null) break;
    }
    healFaults(this.#world);
    const { steps, now } = scheduler;
    while (!isOver() || !this.#isAtRest()) {
      if (oracle.violation !== null) return;
      if (scheduler.steps > steps + workersCalmSteps || scheduler.now > now + workersCalmMs)
        oracle.fail(18, `not at rest: ${this.#state()}`);
      if ((await scheduler.step()) === null) oracle.fail(18, `nothing more happens: ${this.#state()}`);
    }
    if (oracle.violation === null) await this.#windDown();
  }

  async close(): Promise<void> {
    for (const { process } of this.#workers) await process.store.close();
    for (const person of this.#people) await person.close();
    this.#world.disk.remove();
  }

  report(): WorkersRun {
    const lateStarts = this.#world.oracle.counts.startsAfterTakeOver;
    return { ...toSimRun(this.#world), lateStarts, workers: this.#crew.counts };
  }

  /** Whether no session has a job in the queue. */
  #isAtRest(): boolean {
    const { queue } = this.#crew;
    return [...this.#world.oracle.books.keys()].every((id) => !queue.has(id));
  }

  #state(): string {
    const { oracle, scheduler } = this.#world;
    const sessions = [...oracle.books.values()].map(({ id, session }) => {
      const queued = this.#crew.queue.has(id) ? 'queued' : 'in no queue';
      return `${id} is ${session.turn.status}, ${queued}`;
    });
    const pending = [...scheduler.pending].map(({ name }) => name);
    return `${sessions.join('; ')}; waiting: ${pending.slice(0, 9).join(', ')}`;
  }

  /** Shuts all workers down, then checks that no task is pending and that the stored data matches the ledger. */
  async #windDown(): Promise<void> {
    const { scheduler, oracle, disk } = this.#world;
    const left = new Set<SimWorker>();
    this.#isClosing = true;
    const living = this.#workers.filter(({ process }) => process.alive);
    for (const worker of living) void worker.leave().then(() => left.add(worker));
    await drainMicrotasks();
    for (let steps = 0; steps < 2_000 && (await scheduler.step()) !== null;) steps += 1;
    // A worker that was already leaving has exited by now.
    if (living.some((worker) => worker.process.alive && !left.has(worker)))
      oracle.fail(18, `a worker cannot leave: ${this.#state()}`);
    if (scheduler.pending.size > 0) oracle.fail(18, `something is left waiting: ${this.#state()}`);
    if (![...oracle.books.keys()].some((id) => this.#isPoison(id))) oracle.checkCalls();
    oracle.checkSaid();
    for (const person of this.#people) person.check();
    const store = disk.connect();
    for (const { id, texts } of oracle.books.values()) {
      const verified = await store.verify(id);
      if (!verified.ok) oracle.fail(8, `${id} is damaged: ${verified.reason}`);
      const opened = await store.open(id);
      oracle.opened(id, opened);
      if (opened.head !== texts.length)
        oracle.fail(8, `${id} has ${opened.head} events, not ${texts.length}`);
    }
    await store.close();
  }

  #isPoison(id: string): boolean {
    return findPlannedSession(this.#world.plan, id)?.poison === true;
  }

  #interfere(): void {
    const { faults } = this.#world;
    const fault = faults.strikesOneOf(workerAnyTimeFaults, 'trouble');
    const worker = fault === null ? undefined : this.#anyWorker();
    if (fault === null || worker === undefined) return;
    const { process } = worker;
    if (fault === 'crash') this.#crash(process);
    if (fault === 'stop') worker.stop();
    if (fault === 'leave' && !process.leaving) {
      void worker.leave().then(() => {
        if (process.alive) this.#crash(process);
      });
    }
    if (fault === 'clock-jump') process.shift += this.#draw('jump', 2) === 0 ? -hourMs : hourMs;
    if (fault === 'lock-lost') this.#crew.queue.forgetLock();
  }

  /** Crashes a worker and schedules its replacement. */
  #crash(process: SimProcess): void {
    const { scheduler } = this.#world;
    if (!process.alive) return;
    process.alive = false;
    this.#crew.counts.crashes += 1;
    scheduler.drop(process.name);
    void process.store.close();
    const inMs = 200 + 500 * this.#draw('restart', 5);
    const happen = (): void => this.#start(process.slot);
    scheduler.add({ owner: 'operator', lane: 'operator', name: `start w${process.slot}`, inMs, happen });
  }

  #start(slot: number): void {
    const { faults, disk, choices, scheduler } = this.#world;
    if (this.#isClosing) return;
    this.#born += 1;
    const store = disk.connect();
    const name = `w${slot}.${this.#born}`;
    const drift = faults.strikes('clock-drift', 'birth') ? 1.5 : 1;
    const process: SimProcess = { name, slot, alive: true, leaving: false, drift, shift: 0, store };
    const isOdd = faults.strikes('stopwatch-drift', 'birth');
    const stopwatchRate = isOdd ? [0.85, 1.2][choices.choose('rate', (random) => random.below(2))] : 1;
    const happen = (): void => this.#crash(process);
    const crash = (): void =>
      void scheduler.add({
        owner: 'operator',
        lane: 'operator',
        name: `${name} is brought down`,
        inMs: 0,
        happen,
      });
    const options = { crash, stopwatchRate: stopwatchRate ?? 1 };
    this.#workers[slot] = new SimWorker(this.#crew, process, options);
  }

  #anyWorker(): SimWorker | undefined {
    const living = this.#workers.filter(({ process }) => process.alive);
    return living.length < 2 ? living[0] : living[this.#draw('which', living.length) % living.length];
  }

  #draw(name: string, limit: number): number {
    return this.#world.choices.choose(name, (random) => random.below(limit));
  }
}
