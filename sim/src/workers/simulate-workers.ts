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
  const supervisor = new WorkerSupervisor(plan, simulation);
  try {
    await supervisor.run();
  } finally {
    await supervisor.close();
  }
  return supervisor.report();
}

/** Starts workers and injects worker faults. */
class WorkerSupervisor {
  readonly #world: SimWorld;
  readonly #workersWorld: WorkersWorld;
  readonly #workers: SimWorker[] = [];
  readonly #persons: readonly SimPerson[];
  #startedCount = 0;
  #isClosing = false;

  constructor(
    plan: SimPlan,
    { choices = createRandomChoices(plan.seed), parts = soundWorkerParts }: WorkersSimulationOptions,
  ) {
    this.#world = createSimWorld(plan, { choices });
    const onReady = (): void => {
      for (const worker of this.#workers) worker.fetch();
    };
    this.#workersWorld = {
      world: this.#world,
      queue: new SimQueue(this.#world, onReady),
      crashLedger: createSimCrashLedger((id) => this.#world.oracle.ledgers.get(id)?.texts.length ?? null),
      parts,
      attempts: new Map(),
      counts: { stops: 0, crashes: 0, resumeAttempts: 0, parked: 0, swept: 0 },
    };
    for (let slot = 0; slot < plan.processes; slot += 1) this.#start(slot);
    this.#persons = listSessionNumbers(plan).flatMap((number) => {
      const planned = plan.sessions[number];
      return planned === undefined ? [] : [new SimPerson(this.#workersWorld, number, planned)];
    });
  }

  async run(): Promise<void> {
    const { scheduler, oracle } = this.#world;
    const isFinished = (): boolean => oracle.violation !== null || this.#persons.every(({ done }) => done);
    while (scheduler.steps < workersChaosSteps && !isFinished()) {
      this.#interfere();
      await drainMicrotasks();
      if ((await scheduler.step()) === null) break;
    }
    healFaults(this.#world);
    const { steps, now } = scheduler;
    while (!isFinished() || !this.#isAtRest()) {
      if (oracle.violation !== null) return;
      if (scheduler.steps > steps + workersCalmSteps || scheduler.now > now + workersCalmMs)
        oracle.fail(18, `not at rest: ${this.#state()}`);
      if ((await scheduler.step()) === null) oracle.fail(18, `no task is left: ${this.#state()}`);
    }
    if (oracle.violation === null) await this.#shutDown();
  }

  async close(): Promise<void> {
    for (const { process } of this.#workers) await process.store.close();
    for (const person of this.#persons) await person.close();
    this.#world.disk.remove();
  }

  report(): WorkersRun {
    const lateStarts = this.#world.oracle.counts.startsAfterTakeOver;
    return { ...toSimRun(this.#world), lateStarts, workers: this.#workersWorld.counts };
  }

  /** Whether no session has a job in the queue. */
  #isAtRest(): boolean {
    const { queue } = this.#workersWorld;
    return [...this.#world.oracle.ledgers.keys()].every((id) => !queue.has(id));
  }

  #state(): string {
    const { oracle, scheduler } = this.#world;
    const sessions = [...oracle.ledgers.values()].map(({ id, session }) => {
      const queued = this.#workersWorld.queue.has(id) ? 'queued' : 'in no queue';
      return `${id} is ${session.turn.status}, ${queued}`;
    });
    const pending = [...scheduler.pending].map(({ name }) => name);
    return `${sessions.join('; ')}; waiting: ${pending.slice(0, 9).join(', ')}`;
  }

  /** Shuts all workers down, then checks that no task is pending and that the stored data matches the ledger. */
  async #shutDown(): Promise<void> {
    const { scheduler, oracle, disk } = this.#world;
    const stopped = new Set<SimWorker>();
    this.#isClosing = true;
    const alive = this.#workers.filter(({ process }) => process.isAlive);
    for (const worker of alive) void worker.leave().then(() => stopped.add(worker));
    await drainMicrotasks();
    for (let steps = 0; steps < 2_000 && (await scheduler.step()) !== null;) steps += 1;
    // A worker that was already leaving has exited by now.
    if (alive.some((worker) => worker.process.isAlive && !stopped.has(worker)))
      oracle.fail(18, `a worker cannot shut down: ${this.#state()}`);
    if (scheduler.pending.size > 0) oracle.fail(18, `tasks are left waiting: ${this.#state()}`);
    if (![...oracle.ledgers.keys()].some((id) => this.#isPoison(id))) oracle.checkCalls();
    oracle.checkUserMessages();
    for (const person of this.#persons) person.check();
    const store = disk.connect();
    for (const { id, texts } of oracle.ledgers.values()) {
      const verified = await store.verify(id);
      if (!verified.ok) oracle.fail(8, `${id} is damaged: ${verified.reason}`);
      const opened = await store.open(id);
      oracle.onOpened(id, opened);
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
    const fault = faults.drawFault(workerAnyTimeFaults, 'trouble');
    const worker = fault === null ? undefined : this.#anyWorker();
    if (fault === null || worker === undefined) return;
    const { process } = worker;
    if (fault === 'crash') this.#crash(process);
    if (fault === 'stop') worker.stop();
    if (fault === 'leave' && !process.isShuttingDown) {
      void worker.leave().then(() => {
        if (process.isAlive) this.#crash(process);
      });
    }
    if (fault === 'clock-jump') process.offsetMs += this.#draw('jump', 2) === 0 ? -hourMs : hourMs;
    if (fault === 'lock-lost') this.#workersWorld.queue.forgetLock();
  }

  /** Crashes a worker and schedules its replacement. */
  #crash(process: SimProcess): void {
    const { scheduler } = this.#world;
    if (!process.isAlive) return;
    process.isAlive = false;
    this.#workersWorld.counts.crashes += 1;
    scheduler.drop(process.name);
    void process.store.close();
    const inMs = 200 + 500 * this.#draw('restart', 5);
    const run = (): void => this.#start(process.slot);
    scheduler.add({ owner: 'operator', lane: 'operator', name: `start w${process.slot}`, inMs, run });
  }

  #start(slot: number): void {
    const { faults, disk, choices, scheduler } = this.#world;
    if (this.#isClosing) return;
    this.#startedCount += 1;
    const store = disk.connect();
    const name = `w${slot}.${this.#startedCount}`;
    const drift = faults.shouldFail('clock-drift', 'birth') ? 1.5 : 1;
    const process: SimProcess = {
      name,
      slot,
      isAlive: true,
      isShuttingDown: false,
      drift,
      offsetMs: 0,
      store,
    };
    const isOdd = faults.shouldFail('stopwatch-drift', 'birth');
    const timerRate = isOdd ? [0.85, 1.2][choices.choose('rate', (random) => random.below(2))] : 1;
    const run = (): void => this.#crash(process);
    const crash = (): void =>
      void scheduler.add({
        owner: 'operator',
        lane: 'operator',
        name: `${name} is brought down`,
        inMs: 0,
        run,
      });
    const options = { crash, timerRate: timerRate ?? 1 };
    this.#workers[slot] = new SimWorker(this.#workersWorld, process, options);
  }

  #anyWorker(): SimWorker | undefined {
    const alive = this.#workers.filter(({ process }) => process.isAlive);
    return alive.length < 2 ? alive[0] : alive[this.#draw('which', alive.length) % alive.length];
  }

  #draw(name: string, limit: number): number {
    return this.#world.choices.choose(name, (random) => random.below(limit));
  }
}
