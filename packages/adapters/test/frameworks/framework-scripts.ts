import type { AgentScript } from '../../../../examples/adapters/scripts.ts';

/** Reads twelve files, one after another, and then answers. */
export const productiveSteps: AgentScript = (asked) =>
  asked < 12 ? { calls: [{ tool: 'read', args: { path: `file-${asked}` } }] } : { text: 'All read.' };
