import type { LoopContender } from './contender.ts';

/** Loaded where it is run, so that no contender pays for the modules of another. */
export const contenders = {
  pawl: async () => (await import('./pawl.ts')).pawl,
  ungoverned: async () => (await import('./pawl.ts')).pawlUngoverned,
  onAiSdk: async () => (await import('./pawl.ts')).pawlOnAiSdk,
  aiSdk: async () => (await import('./ai-sdk.ts')).aiSdk,
  aiSdkStream: async () => (await import('./ai-sdk.ts')).aiSdkStream,
  langGraph: async () => (await import('./langchain.ts')).langGraph,
  langChain: async () => (await import('./langchain.ts')).langChain,
  openaiAgents: async () => (await import('./openai-agents.ts')).openaiAgents,
  mastra: async () => (await import('./mastra.ts')).mastra,
} satisfies Readonly<Record<string, () => Promise<LoopContender>>>;

export type ContenderKey = keyof typeof contenders;

export function isContenderKey(key: string): key is ContenderKey {
  return Object.hasOwn(contenders, key);
}
