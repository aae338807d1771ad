import type { DurableContender } from './contender.ts';

/** Loaded on demand, so that no contender pays for another's modules and unused peers need not be installed. */
export const durableContenders = {
  raw: async () => (await import('./raw-append.ts')).rawAppend,
  pawl: async () => (await import('./pawl.ts')).durablePawlContender,
  ungoverned: async () => (await import('./pawl.ts')).durablePawlUngoverned,
  langGraph: async () => (await import('../peers/langgraph.ts')).durableLangGraph,
  langGraphDelta: async () => (await import('../peers/langgraph.ts')).durableLangGraphDelta,
} satisfies Readonly<Record<string, () => Promise<DurableContender>>>;

export type DurableContenderKey = keyof typeof durableContenders;

export function isDurableContenderKey(key: string): key is DurableContenderKey {
  return Object.hasOwn(durableContenders, key);
}
