import {
  Agent,
  resumeSession,
  type AgentOptions,
  type RuntimeClock,
  type Model,
  type Tool,
} from '@pawl/runtime';
import type { ExecutionSpool, Store } from '@pawl/runtime/store';
import type { SessionDriver, SimWorld } from './sim-world.ts';

/**
 * How a process is assembled from the runtime and the simulated ports. A planted bug replaces one of the parts with a
 * slightly different one.
 */
export type ProcessAssembly = {
  store(store: Store, at: AssemblyContext): Store;
  resume: typeof resumeSession;
  options(options: AgentOptions, at: AssemblyContext): AgentOptions;
  agent(options: AgentOptions, at: AssemblyContext): Agent;
  clock(clock: RuntimeClock, at: AssemblyContext): RuntimeClock;
  model(model: Model, at: AssemblyContext): Model;
  tools(tools: readonly Tool[], at: AssemblyContext): readonly Tool[];
  spool(spool: ExecutionSpool, at: AssemblyContext): ExecutionSpool;
};

export type AssemblyContext = { readonly world: SimWorld; readonly driver: SessionDriver };

/** The assembly without bugs. */
export const soundAssembly: ProcessAssembly = {
  store: (store) => store,
  resume: resumeSession,
  options: (options) => options,
  agent: (options) => new Agent(options),
  clock: (clock) => clock,
  model: (model) => model,
  tools: (tools) => tools,
  spool: (spool) => spool,
};
