import { isTerminalSession } from '@pawl/core';
import { soundAssembly, type ProcessAssembly } from './process-assembly.ts';
import { createRandomChoices, type ChoiceSource, type ChoiceScript } from './choices.ts';
import { createSimDisk } from './sim-disk.ts';
import { createFaultInjector, type FaultName } from './fault-injector.ts';
import type { InvariantViolation } from './oracle/invariants.ts';
import { createSimOracle } from './oracle/oracle.ts';
import { ProcessOperator } from './process-operator.ts';
import { createExternalWorld } from './external-world.ts';
import { listSessionNumbers, type SimPlan } from './plan.ts';
import { drainMicrotasks, SimScheduler } from './scheduler.ts';
import { createDigestTrace } from './trace.ts';
import { SimUser } from './sim-user.ts';
import type { SimWorld } from './sim-world.ts';

export type SimRun = {
  readonly violation: InvariantViolation | null;
  /** Identical runs have identical digests. */
  readonly digest: string;
  readonly script: ChoiceScript;
  readonly events: number;
  readonly steps: number;
  /** Simulated time that elapsed in the run. */
  readonly simulatedMs: number;
  readonly lateStarts: number;
  /** How often each fault occurred. */
  readonly faultCounts: Partial<Readonly<Record<FaultName, number>>>;
};

export type SimulationOptions = {
  readonly choices?: ChoiceSource;
  readonly assembly?: ProcessAssembly;
  /** Called before each step. */
  readonly before?: (world: SimWorld, operator: ProcessOperator) => void;
};

/** Maximum number of steps with faults. */
const chaosSteps = 900;

/** The fault phase ends early after this many consecutive steps per user in which only users poll. */
const idleSteps = 8;

/** After the faults end, the system must come to rest within these limits. */
const calmSteps = 6_000;
const calmMs = 30 * 60_000;

/** Runs a plan to its end or to the first violation. */
export async function runSimulation(plan: SimPlan, simulation: SimulationOptions = {}): Promise<SimRun> {
  const world = createSimWorld(plan, simulation);
  const operator = new ProcessOperator(world);
  operator.start();
  const users = listSessionNumbers(plan).map((index) => new SimUser(world, index));
  try {
    await runFaultPhase(world, operator, { users, before: simulation.before });
    healFaults(world);
    await runQuietPhase(world, operator, { users, before: simulation.before });
    if (world.oracle.violation === null) await shutDownWorld(world, operator);
  } finally {
    for (const { store } of operator.processes) await store.close();
    world.disk.remove();
  }
  return toSimRun(world);
}

export function createSimWorld(
  plan: SimPlan,
  { choices = createRandomChoices(plan.seed), assembly = soundAssembly }: SimulationOptions,
): SimWorld {
  const trace = createDigestTrace();
  const externalWorld = createExternalWorld();
  const scheduler = new SimScheduler(choices, plan.schedule, trace);
  return {
    plan,
    choices,
    faults: createFaultInjector(plan.faults, choices),
    scheduler,
    oracle: createSimOracle(externalWorld, trace, () => scheduler.steps),
    externalWorld,
    assembly,
    disk: createSimDisk(plan, () => scheduler.now),
    drivers: new Map(),
  };
}

type SimulationPhase = { readonly users: readonly SimUser[]; readonly before: SimulationOptions['before'] };

async function runFaultPhase(
  world: SimWorld,
  operator: ProcessOperator,
  { users, before }: SimulationPhase,
): Promise<void> {
  const { scheduler, oracle } = world;
  let idle = 0;
  while (scheduler.steps < chaosSteps && oracle.violation === null && !users.every(({ done }) => done)) {
    before?.(world, operator);
    if (operator.interfere()) await drainMicrotasks();
    const task = await scheduler.step();
    idle = task?.owner === 'user' ? idle + 1 : 0;
    // All remaining work waits for the faults to end.
    if (task === null || idle > idleSteps * users.length) return;
  }
}

/** Ends the faults and releases everything that waited for that. */
export function healFaults({ faults, scheduler }: SimWorld): void {
  faults.disable();
  for (const pending of scheduler.pending) {
    if (pending.due !== Infinity) continue;
    scheduler.remove(pending);
    scheduler.add({ ...pending, inMs: 1_000 });
  }
}

async function runQuietPhase(
  world: SimWorld,
  operator: ProcessOperator,
  { users, before }: SimulationPhase,
): Promise<void> {
  const { scheduler, oracle } = world;
  const { steps, now } = scheduler;
  while (oracle.violation === null && !isWorldAtRest(world, users)) {
    if (scheduler.steps > steps + calmSteps)
      oracle.fail(18, `not at rest after ${calmSteps} steps: ${describeWorldState(world)}`);
    if (scheduler.now > now + calmMs)
      oracle.fail(18, `not at rest after ${calmMs / 1_000} s: ${describeWorldState(world)}`);
    before?.(world, operator);
    if ((await scheduler.step()) === null) oracle.fail(18, `no task is left: ${describeWorldState(world)}`);
  }
}

function isWorldAtRest({ oracle, drivers }: SimWorld, users: readonly SimUser[]): boolean {
  if (!users.every(({ done }) => done)) return false;
  if (oracle.ledgers.size < users.length) return false;
  return [...oracle.ledgers.values()].every(({ id, session }) => {
    const driver = drivers.get(id);
    // The live session has caught up with the persisted events.
    const isKnown = driver?.agent?.session.seq === session.seq;
    if (isTerminalSession(session)) return driver === undefined || isKnown;
    return session.turn.status === 'waitingForUser' && driver?.isRecovering === false && isKnown;
  });
}

function describeWorldState({ oracle, drivers, scheduler }: SimWorld): string {
  const sessions = [...oracle.ledgers.values()].map(
    ({ id, session }) => `${id} is ${session.turn.status}, run by ${drivers.get(id)?.name ?? 'no driver'}`,
  );
  const pending = [...scheduler.pending].map(({ name }) => name);
  return `${sessions.join('; ')}; waiting: ${pending.slice(0, 9).join(', ')}`;
}

/** Detaches all agents, then checks that no task is pending and that the stored data matches the ledger. */
async function shutDownWorld(world: SimWorld, operator: ProcessOperator): Promise<void> {
  const { scheduler, oracle, disk } = world;
  for (const { agent, session } of world.drivers.values()) {
    if (agent !== null) oracle.compare(session, agent.session, 'the live session');
  }
  let isDetached = false;
  void operator.stopAll().then(() => (isDetached = true));
  await drainMicrotasks();
  for (let steps = 0; steps < 500 && (await scheduler.step()) !== null;) steps += 1;
  if (!isDetached) oracle.fail(18, `an agent cannot be detached: ${describeWorldState(world)}`);
  if (scheduler.pending.size > 0) oracle.fail(18, `tasks are left waiting: ${describeWorldState(world)}`);
  oracle.checkCalls();
  oracle.checkUserMessages();
  const store = disk.connect();
  for (const { id, texts } of oracle.ledgers.values()) {
    const verified = await store.verify(id);
    if (!verified.ok) oracle.fail(8, `${id} is damaged: ${verified.reason}`);
    oracle.onOpened(id, await store.open(id));
    let head = 0;
    for await (const stored of store.events(id)) oracle.onRead(id, (head += 1) - 1, stored);
    if (head !== texts.length)
      oracle.fail(8, `${id} has ${head} events in the store, and ${texts.length} were persisted`);
  }
  await store.close();
}

export function toSimRun({ oracle, scheduler, choices, faults }: SimWorld): SimRun {
  return {
    violation: oracle.violation,
    digest: oracle.digest(),
    script: choices.getScript(),
    events: oracle.counts.events,
    steps: scheduler.steps,
    simulatedMs: scheduler.now,
    lateStarts: oracle.counts.lateStarts,
    faultCounts: Object.fromEntries(faults.counts),
  };
}
