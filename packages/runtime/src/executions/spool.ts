import type { ToolResult } from '../tools/tool.ts';

/**
 * Keeps what is known of the calls of one session until the log has it. So the result of a call that ended just before the
 * process did is not lost, and neither is what an unfinished call had written by then.
 */
export type Spool = {
  /** Contract: once this has resolved, `find` gives it back, also after the loss of power. */
  keep(execution: string, result: ToolResult): Promise<void>;
  /** Takes what a call writes, up to `outputBytesMax`. */
  hear(execution: string, chunk: Uint8Array): void;
  find(execution: string): Promise<Spooled>;
  forget(execution: string): Promise<void>;
  /** Forgets all but these: a process may have ended after the log had a result and before the spool forgot it. */
  keepOnly(executions: readonly string[]): Promise<void>;
};

export type Spooled = { readonly result: ToolResult | null; readonly output: string | null };

/** More output than this is of no use to a model that only wants to know how far a call got. */
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
