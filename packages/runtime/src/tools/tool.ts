import type { Json, Outcome, ToolFinished } from '@pawl/core';
import * as z from 'zod';

export type ToolDescription = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Json;
};

export type ToolContext = {
  readonly signal: AbortSignal;
  /** Tells whoever watches how far the tool is. */
  report(progress: string): void;
};

/** How a call ended, and what the tool knows of what it did: files it changed, tests it ran, what it found in storage. */
export type ToolResult = Outcome & Pick<ToolFinished, 'files' | 'tests' | 'found'>;

/** Contract: an expected failure is an outcome with `ok: false`, not an exception. */
export type Tool = {
  readonly description: ToolDescription;
  run(args: Json, context: ToolContext): Promise<ToolResult>;
};

export type ToolDefinition<Schema extends z.ZodType> = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
  run(args: z.infer<Schema>, context: ToolContext): Promise<ToolResult>;
};

/** Makes a tool that checks its arguments against its schema before it runs. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, parameters } = definition;
  return {
    description: { name, description, parameters: z.toJSONSchema(parameters) as Json },
    async run(args, context) {
      const parsed = parameters.safeParse(args);
      if (parsed.success) return definition.run(parsed.data, context);
      return {
        ok: false,
        error: { kind: 'invalid', message: `Bad arguments for ${name}: ${z.prettifyError(parsed.error)}` },
      };
    },
  };
}
