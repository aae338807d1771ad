import type { ToolResult } from '../tools/tool.ts';

/**
 * Holds results and output of a session's calls until the log contains them, so that neither a result that arrived just
 * before a crash nor the partial output of an interrupted call is lost.
 */
export type ExecutionSpool = {
  /** Contract: once this resolves, `find` returns the result, even after a power loss. */
  saveResult(execution: string, result: ToolResult): Promise<void>;
  /** Records output of a call, up to `spoolOutputBytesMax`. */
  appendOutput(execution: string, chunk: Uint8Array): void;
  find(execution: string): Promise<SpooledExecution>;
  remove(execution: string): Promise<void>;
  /** Removes all other executions: a process may have crashed after the log had a result but before `remove`. */
  retainOnly(executions: readonly string[]): Promise<void>;
};

export type SpooledExecution = { readonly result: ToolResult | null; readonly output: string | null };

/** Enough output for a model to see how far a call got. */
export const spoolOutputBytesMax = 20_000;

/** Creates a spool for agents whose log does not outlive the process either. */
export function createMemorySpool(): ExecutionSpool {
  const results = new Map<string, ToolResult>();
  const outputs = new Map<string, Buffer>();
  return {
    async saveResult(execution, result) {
      results.set(execution, result);
    },
    appendOutput(execution, chunk) {
      const before = outputs.get(execution) ?? Buffer.alloc(0);
      if (before.length >= spoolOutputBytesMax) return;
      outputs.set(execution, Buffer.concat([before, chunk]).subarray(0, spoolOutputBytesMax));
    },
    async find(execution) {
      return {
        result: results.get(execution) ?? null,
        output: outputs.get(execution)?.toString('utf8') ?? null,
      };
    },
    async remove(execution) {
      results.delete(execution);
      outputs.delete(execution);
    },
    async retainOnly(executions) {
      for (const entries of [results, outputs])
        for (const id of entries.keys()) if (!executions.includes(id)) entries.delete(id);
    },
  };
}
