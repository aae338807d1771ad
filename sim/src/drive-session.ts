import { createSession, type Session, type SessionSettings } from '@pawl/core';
import { memorySettings } from '@pawl/core/memory';
import type { AgentOptions, ResumedSession } from '@pawl/runtime';
import { createStoreEventLog, StoreError, type Store } from '@pawl/runtime/store';
import type { AssemblyContext } from './process-assembly.ts';
import { answerApproval } from './answer-approval.ts';
import { findPlannedSession, type PlannedSession } from './plan.ts';
import { drawDelay, waitForScheduler } from './port-call.ts';
import { createSimClock } from './sim-clock.ts';
import { createSimModel } from './sim-model.ts';
import { createSimSpool } from './sim-spool.ts';
import { createSimStore } from './sim-store.ts';
import { createSimTools } from './sim-tools.ts';
import type { SessionDriver, SimWorld } from './sim-world.ts';

/** With `from`, the session is claimed only if that fence is still current; without it, from any owner. */
export type DriveOptions = { readonly from?: number; readonly onEnded: (driver: SessionDriver) => void };

/** Runs a session in a process as the CLI does: creates or resumes it and continues its pending work. */
export async function driveSession(
  world: SimWorld,
  driver: SessionDriver,
  { from, onEnded }: DriveOptions,
): Promise<void> {
  const context = { world, driver };
  const { assembly } = world;
  const store = assembly.store(createSimStore(world, driver), context);
  try {
    const resumed = await createOrResumeSession(context, store, from);
    const options = assembly.options({ ...buildAgentOptions(context), ...resumed }, context);
    world.oracle.onAttached(driver, resumed.session.seq);
    driver.agent = assembly.agent(options, context);
    driver.agent.ended.then(
      () => undefined,
      () => onEnded(driver),
    );
    await driver.agent.resume();
    driver.isRecovering = false;
  } catch (error) {
    // Only the store may fail here; retrying would hide any other error.
    if (!(error instanceof StoreError))
      world.oracle.fail(18, `${driver.name} cannot start: ${String(error)}`);
    onEnded(driver);
  }
}

async function createOrResumeSession(
  { world, driver }: AssemblyContext,
  store: Store,
  from: number | undefined,
): Promise<ResumedSession> {
  const { session: id, name: owner } = driver;
  if (world.oracle.ledgers.has(id)) {
    return world.assembly.resume(store, id, { owner, ...(from !== undefined && { from }) });
  }
  const session = createPlannedSession(world, driver);
  const position = await store.create(session, owner);
  const log = createStoreEventLog(store, id, position);
  return { fence: position.fence, session, metadata: null, log, unsavedEntries: [] };
}

function createPlannedSession(world: SimWorld, driver: SessionDriver): Session {
  const planned = findPlannedSession(world.plan, driver.session);
  return createSession({
    id: driver.session,
    at: createSimClock(world, driver.process).now(),
    ...(planned !== undefined && { settings: getPlannedSettings(planned) }),
  });
}

export function getPlannedSettings({
  governed,
  modelCalls,
  hasMemory,
}: PlannedSession): Partial<SessionSettings> {
  const unlimited = { toolCalls: null, tokens: null, cost: null, wallMs: null };
  return {
    compact: true,
    ...(hasMemory && { memory: memorySettings.pawl }),
    ...(!governed && { governor: { preset: 'none', rules: {} } }),
    ...(modelCalls !== null && { budgets: { modelCalls, ...unlimited } }),
  };
}

function buildAgentOptions(context: AssemblyContext): AgentOptions {
  const { world, driver } = context;
  const { assembly, choices, faults, oracle } = world;
  const caller = { process: driver.process.name, kind: 'hooks' };
  let replies = 0;
  const marks = (): string => `${driver.name}-${(replies += 1)}`;
  return {
    id: driver.session,
    clock: assembly.clock(createSimClock(world, driver.process), context),
    model: assembly.model(createSimModel(world, driver, marks), context),
    tools: assembly.tools(createSimTools(world, driver), context),
    spool: assembly.spool(createSimSpool(world, driver), context),
    rules: ({ args }) => getPermissionArgument(args),
    decide: (call, signal) => answerApproval(world, driver, call, signal),
    async hooks(_, signal) {
      await waitForScheduler(world, caller, { name: 'hooks', inMs: drawDelay(world, 'hooks'), signal });
      if (faults.shouldFail('hooks-fail', 'hooks')) throw new Error('simulated: a hook failed');
      return true;
    },
    random: () => choices.choose('jitter', (random) => random.below(100)) / 100,
    observe: (result) => oracle.onObserved(driver, result),
  };
}

export function getPermissionArgument(args: unknown): 'allow' | 'ask' | 'deny' {
  const isObject = typeof args === 'object' && args !== null;
  const permission: unknown = isObject && 'permission' in args ? args.permission : 'allow';
  return permission === 'ask' || permission === 'deny' ? permission : 'allow';
}
