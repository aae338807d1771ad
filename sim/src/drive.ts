import { createSession, memorySettings, type Session, type Settings } from '@pawl/core';
import { eventLogOn, StoreError, type AgentOptions, type Store, type TakenUp } from '@pawl/runtime';
import type { Place } from './assembly.ts';
import { decide } from './person.ts';
import { plannedSession, type PlannedSession } from './plan.ts';
import { delay, hop } from './port.ts';
import { clockOf } from './sim-clock.ts';
import { modelOf } from './sim-model.ts';
import { spoolOf } from './sim-spool.ts';
import { storeOf } from './sim-store.ts';
import { toolsOf } from './sim-tools.ts';
import type { Driver, World } from './world.ts';

/** With `from`, the session is taken only if that is still the last claim; without it, from whoever has it. */
export type Drive = { readonly from?: number; readonly onGone: (driver: Driver) => void };

/** Runs a session in a process, as a command line would: begin it or take it up, and go on with what is due. */
export async function drive(world: World, driver: Driver, { from, onGone }: Drive): Promise<void> {
  const place = { world, driver };
  const { assembly } = world;
  const store = assembly.store(storeOf(world, driver), place);
  try {
    const taken = await begunOrTakenUp(place, store, from);
    const options = assembly.options({ ...optionsOf(place), ...taken }, place);
    world.oracle.watching(driver, taken.session.seq);
    driver.agent = assembly.agent(options, place);
    driver.agent.ended.then(
      () => undefined,
      () => onGone(driver),
    );
    await driver.agent.resume();
    driver.recovering = false;
  } catch (error) {
    // Nothing but the store can fail here. Anything else would be hidden by trying again.
    if (!(error instanceof StoreError))
      world.oracle.fail(18, `${driver.name} cannot begin: ${String(error)}`);
    onGone(driver);
  }
}

async function begunOrTakenUp(
  { world, driver }: Place,
  store: Store,
  from: number | undefined,
): Promise<TakenUp> {
  const { session: id, name: owner } = driver;
  if (world.oracle.books.has(id)) {
    return world.assembly.takeUp(store, id, { owner, ...(from !== undefined && { from }) });
  }
  const session = newSession(world, driver);
  const position = await store.create(session, owner);
  const log = eventLogOn(store, id, position);
  return { fence: position.fence, session, about: null, log, unstored: [] };
}

function newSession(world: World, driver: Driver): Session {
  const planned = plannedSession(world.plan, driver.session);
  return createSession({
    id: driver.session,
    at: clockOf(world, driver.process).now(),
    ...(planned !== undefined && { settings: settingsOf(planned) }),
  });
}

export function settingsOf({ governed, modelCalls, remembers }: PlannedSession): Partial<Settings> {
  const none = { toolCalls: null, tokens: null, cost: null, wallMs: null };
  return {
    compact: true,
    ...(remembers && { memory: memorySettings.pawl }),
    ...(!governed && { governor: { preset: 'none', rules: {} } }),
    ...(modelCalls !== null && { budgets: { modelCalls, ...none } }),
  };
}

function optionsOf(place: Place): AgentOptions {
  const { world, driver } = place;
  const { assembly, choices, faults, oracle } = world;
  const caller = { process: driver.process.name, kind: 'hooks' };
  let replies = 0;
  const marks = (): string => `${driver.name}-${(replies += 1)}`;
  return {
    id: driver.session,
    clock: assembly.clock(clockOf(world, driver.process), place),
    model: assembly.model(modelOf(world, driver, marks), place),
    tools: assembly.tools(toolsOf(world, driver), place),
    spool: assembly.spool(spoolOf(world, driver), place),
    rules: ({ args }) => permissionIn(args),
    decide: (call, signal) => decide(world, driver, call, signal),
    async hooks(_, signal) {
      await hop(world, caller, { name: 'hooks', inMs: delay(world, 'hooks'), signal });
      if (faults.strikes('hooks-fail', 'hooks')) throw new Error('simulated: a hook failed');
      return true;
    },
    random: () => choices.choose('jitter', (random) => random.below(100)) / 100,
    observe: (seen) => oracle.observed(driver, seen),
  };
}

export function permissionIn(args: unknown): 'allow' | 'ask' | 'deny' {
  const isObject = typeof args === 'object' && args !== null;
  const permission: unknown = isObject && 'permission' in args ? args.permission : 'allow';
  return permission === 'ask' || permission === 'deny' ? permission : 'allow';
}
