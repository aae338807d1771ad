import {
  Agent,
  takeUp,
  type AgentOptions,
  type Clock,
  type Model,
  type Spool,
  type Store,
  type Tool,
} from '@pawl/runtime';
import type { Driver, World } from './world.ts';

/**
 * How a process is put together from the runtime and the simulated ports. A planted bug is another way to do it: each part
 * can be replaced by one that does almost the same.
 */
export type Assembly = {
  store(store: Store, at: Place): Store;
  takeUp: typeof takeUp;
  options(options: AgentOptions, at: Place): AgentOptions;
  agent(options: AgentOptions, at: Place): Agent;
  clock(clock: Clock, at: Place): Clock;
  model(model: Model, at: Place): Model;
  tools(tools: readonly Tool[], at: Place): readonly Tool[];
  spool(spool: Spool, at: Place): Spool;
};

export type Place = { readonly world: World; readonly driver: Driver };

/** As it is meant to be. */
export const soundAssembly: Assembly = {
  store: (store) => store,
  takeUp,
  options: (options) => options,
  agent: (options) => new Agent(options),
  clock: (clock) => clock,
  model: (model) => model,
  tools: (tools) => tools,
  spool: (spool) => spool,
};
