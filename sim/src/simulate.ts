import { isTerminal } from '@pawl/core';
import { soundAssembly, type Assembly } from './assembly.ts';
import { drawChoices, type Choices, type Script } from './choices.ts';
import { createDisk } from './disk.ts';
import { createFaults, type FaultName } from './faults.ts';
import type { Violation } from './oracle/invariants.ts';
import { createOracle } from './oracle/oracle.ts';
import { Operator } from './operator.ts';
import { createOutside } from './outside.ts';
import { sessionNumbers, type Plan } from './plan.ts';
import { drained, Scheduler } from './scheduler.ts';
import { createTrace } from './trace.ts';
import { User } from './user.ts';
import type { World } from './world.ts';

export type Run = {
  readonly violation: Violation | null;
  /** The same for the same run. */
  readonly digest: string;
  readonly script: Script;
  readonly events: number;
  readonly steps: number;
  /** How much time went by in the run. */
  readonly simulatedMs: number;
  readonly lateStarts: number;
  /** How often each fault has struck. */
  readonly struck: Partial<Readonly<Record<FaultName, number>>>;
};

export type Simulation = {
  readonly choices?: Choices;
  readonly assembly?: Assembly;
  /** Called before each thing that happens. */
  readonly before?: (world: World, operator: Operator) => void;
};

/** How many steps trouble lasts at most. */
const chaosSteps = 900;

/** It ends sooner if, for this many steps of each user, nothing happens but that they look. */
const idleSteps = 8;

/** When nothing fails any more, all must come to rest within this many steps and this much time. */
const calmSteps = 6_000;
const calmMs = 30 * 60_000;

/** Runs a plan from its beginning to its end, or to the first thing that must not be. */
export async function simulate(plan: Plan, simulation: Simulation = {}): Promise<Run> {
  const world = createWorld(plan, simulation);
  const operator = new Operator(world);
  operator.start();
  const users = sessionNumbers(plan).map((index) => new User(world, index));
  try {
    await makeTrouble(world, operator, { users, before: simulation.before });
    heal(world);
    await comeToRest(world, operator, { users, before: simulation.before });
    if (world.oracle.violation === null) await windDown(world, operator);
  } finally {
    for (const { store } of operator.processes) await store.close();
    world.disk.remove();
  }
  return reportOn(world);
}

export function createWorld(
  plan: Plan,
  { choices = drawChoices(plan.seed), assembly = soundAssembly }: Simulation,
): World {
  const trace = createTrace();
  const outside = createOutside();
  const scheduler = new Scheduler(choices, plan.schedule, trace);
  return {
    plan,
    choices,
    faults: createFaults(plan.faults, choices),
    scheduler,
    oracle: createOracle(outside, trace, () => scheduler.steps),
    outside,
    assembly,
    disk: createDisk(plan, () => scheduler.now),
    drivers: new Map(),
  };
}

type Phase = { readonly users: readonly User[]; readonly before: Simulation['before'] };

async function makeTrouble(world: World, operator: Operator, { users, before }: Phase): Promise<void> {
  const { scheduler, oracle } = world;
  let idle = 0;
  while (scheduler.steps < chaosSteps && oracle.violation === null && !users.every(({ done }) => done)) {
    before?.(world, operator);
    if (operator.interfere()) await drained();
    const happened = await scheduler.step();
    idle = happened?.owner === 'user' ? idle + 1 : 0;
    // Everything that still goes on waits for the trouble to end.
    if (happened === null || idle > idleSteps * users.length) return;
  }
}

/** What waited for the trouble to end does so now. */
export function heal({ faults, scheduler }: World): void {
  faults.heal();
  for (const pending of scheduler.pending) {
    if (pending.due !== Infinity) continue;
    scheduler.remove(pending);
    scheduler.add({ ...pending, inMs: 1_000 });
  }
}

async function comeToRest(world: World, operator: Operator, { users, before }: Phase): Promise<void> {
  const { scheduler, oracle } = world;
  const { steps, now } = scheduler;
  while (oracle.violation === null && !isAtRest(world, users)) {
    if (scheduler.steps > steps + calmSteps)
      oracle.fail(18, `not at rest after ${calmSteps} steps: ${state(world)}`);
    if (scheduler.now > now + calmMs)
      oracle.fail(18, `not at rest after ${calmMs / 1_000} s: ${state(world)}`);
    before?.(world, operator);
    if ((await scheduler.step()) === null) oracle.fail(18, `nothing more happens: ${state(world)}`);
  }
}

function isAtRest({ oracle, drivers }: World, users: readonly User[]): boolean {
  if (!users.every(({ done }) => done)) return false;
  if (oracle.books.size < users.length) return false;
  return [...oracle.books.values()].every(({ id, session }) => {
    const driver = drivers.get(id);
    // What was kept is also known to whoever had it kept.
    const isKnown = driver?.agent?.session.seq === session.seq;
    if (isTerminal(session)) return driver === undefined || isKnown;
    return session.turn.status === 'waitingForUser' && driver?.recovering === false && isKnown;
  });
}

function state({ oracle, drivers, scheduler }: World): string {
  const sessions = [...oracle.books.values()].map(
    ({ id, session }) => `${id} is ${session.turn.status}, run by ${drivers.get(id)?.name ?? 'nobody'}`,
  );
  const pending = [...scheduler.pending].map(({ name }) => name);
  return `${sessions.join('; ')}; waiting: ${pending.slice(0, 9).join(', ')}`;
}

/** Everybody lets go; then nothing may be left that anybody waits for, and what is kept must be what it was. */
async function windDown(world: World, operator: Operator): Promise<void> {
  const { scheduler, oracle, disk } = world;
  for (const { agent, session } of world.drivers.values()) {
    if (agent !== null) oracle.compare(session, agent.session, 'the live session');
  }
  let left = false;
  void operator.stopAll().then(() => (left = true));
  await drained();
  for (let steps = 0; steps < 500 && (await scheduler.step()) !== null;) steps += 1;
  if (!left) oracle.fail(18, `an agent cannot be left: ${state(world)}`);
  if (scheduler.pending.size > 0) oracle.fail(18, `something is left waiting: ${state(world)}`);
  oracle.checkCalls();
  oracle.checkSaid();
  const store = disk.connect();
  for (const { id, texts } of oracle.books.values()) {
    const verified = await store.verify(id);
    if (!verified.ok) oracle.fail(8, `${id} is damaged: ${verified.reason}`);
    oracle.opened(id, await store.open(id));
    let head = 0;
    for await (const kept of store.events(id)) oracle.readOn(id, (head += 1) - 1, kept);
    if (head !== texts.length)
      oracle.fail(8, `${id} has ${head} events in the store, and ${texts.length} were kept`);
  }
  await store.close();
}

export function reportOn({ oracle, scheduler, choices, faults }: World): Run {
  return {
    violation: oracle.violation,
    digest: oracle.digest(),
    script: choices.made(),
    events: oracle.counts.events,
    steps: scheduler.steps,
    simulatedMs: scheduler.now,
    lateStarts: oracle.counts.lateStarts,
    struck: Object.fromEntries(faults.struck),
  };
}
