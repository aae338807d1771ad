import type { LoopContender } from './contender.ts';

/** Loaded on demand, so that no contender pays for another's modules. */
export const loopContenders = {
  pawl: async () => (await import('./pawl.ts')).loopPawlContender,
  ungoverned: async () => (await import('./pawl.ts')).loopPawlUngoverned,
  onAiSdk: async () => (await import('./pawl.ts')).pawlOnAiSdk,
  aiSdk: async () => (await import('./ai-sdk.ts')).aiSdkContender,
  aiSdkStream: async () => (await import('./ai-sdk.ts')).aiSdkStreamContender,
  langGraph: async () => (await import('./langchain.ts')).langGraphContender,
  langChain: async () => (await import('./langchain.ts')).langChainContender,
  openaiAgents: async () => (await import('./openai-agents.ts')).openaiAgentsContender,
  mastra: async () => (await import('./mastra.ts')).mastraContender,
} satisfies Readonly<Record<string, () => Promise<LoopContender>>>;

export type LoopContenderKey = keyof typeof loopContenders;

export function isLoopContenderKey(key: string): key is LoopContenderKey {
  return Object.hasOwn(loopContenders, key);
}
