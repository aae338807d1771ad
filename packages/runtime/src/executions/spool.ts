import type { ToolResult } from '../tools/tool.ts';

/**
 * Keeps what is known of the calls of one session until the log has it. A call that ended just before the process did is then not lost, and of
 * one that was in the middle it is known what it had written.
 */
export type Spool = {
  /** Contract: once this has resolved, `find` gives it back, also after the loss of power. */
  keep(execution: string, result: ToolResult): Promise<void>;
  /** Takes what a call writes; as much as there is room for. */
  hear(execution: string, chunk: Uint8Array): void;
  find(execution: string): Promise<Spooled>;
  forget(execution: string): Promise<void>;
  /** Forgets all but these: what a process has left that ended between keeping a result in the log and forgetting it here. */
  keepOnly(executions: readonly string[]): Promise<void>;
};

export type Spooled = { readonly result: ToolResult | null; readonly output: string | null };

/** More than this of an output is of no use to a model that only wants to know how far a call came. */
export const outputBytesMax = 20_000;

/** For agents whose log does not outlive the process either. */
export function createMemorySpool(): Spool {
  const results = new Map<string, ToolResult>();
  const outputs = new Map<string, Buffer>();
  return {
    async keep(execution, result) {
      results.set(execution, result);
    },
    hear(execution, chunk) {
      const before = outputs.get(execution) ?? Buffer.alloc(0);
      if (before.length >= outputBytesMax) return;
      outputs.set(execution, Buffer.concat([before, chunk]).subarray(0, outputBytesMax));
    },
    async find(execution) {
      return {
        result: results.get(execution) ?? null,
        output: outputs.get(execution)?.toString('utf8') ?? null,
      };
    },
    async forget(execution) {
      results.delete(execution);
      outputs.delete(execution);
    },
    async keepOnly(executions) {
      for (const known of [results, outputs])
        for (const id of known.keys()) if (!executions.includes(id)) known.delete(id);
    },
  };
}
