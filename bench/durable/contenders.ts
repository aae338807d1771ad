import type { DurableContender } from './contender.ts';

/** Loaded where it is run, so that no contender pays for the modules of another, and none has to be installed unused. */
export const contenders = {
  raw: async () => (await import('./raw-append.ts')).rawAppend,
  pawl: async () => (await import('./pawl.ts')).pawl,
  ungoverned: async () => (await import('./pawl.ts')).pawlUngoverned,
  langGraph: async () => (await import('../peers/langgraph.ts')).langGraph,
  langGraphDelta: async () => (await import('../peers/langgraph.ts')).langGraphDelta,
} satisfies Readonly<Record<string, () => Promise<DurableContender>>>;

export type ContenderKey = keyof typeof contenders;

export function isContenderKey(key: string): key is ContenderKey {
  return Object.hasOwn(contenders, key);
}
