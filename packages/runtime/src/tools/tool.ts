import type { Json, Outcome, ToolErrorKind, ToolFinished } from '@pawl/core';
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

/**
 * What a call does outside the session, and so what to do about one that was interrupted.
 * `read-only` it changes nothing: run it again · `verifiable` a look at the file tells whether it was done · `keyed` it
 * takes a key that keeps it from being done twice · `not-repeatable` nobody can tell: the model decides.
 */
export type EffectClass = 'read-only' | 'verifiable' | 'keyed' | 'not-repeatable';

export type ToolLimits = {
  /** How long a call may take; null for as long as it takes. */
  readonly timeoutMs: number | null;
  /** How much of its output, as JSON, goes into the conversation. */
  readonly outputCharsMax: number;
};

/** Contract: an expected failure is an outcome with `ok: false`, not an exception. */
export type Tool = Partial<ToolLimits> & {
  readonly description: ToolDescription;
  /** A tool that does not say is taken for one that must not be repeated. */
  readonly effect?: EffectClass;
  run(args: Json, context: ToolContext): Promise<ToolResult>;
};

export type ToolDefinition<Schema extends z.ZodType> = Partial<ToolLimits> & {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
  readonly effect?: EffectClass;
  run(args: z.infer<Schema>, context: ToolContext): Promise<ToolResult>;
};

/** Makes a tool that checks its arguments against its schema before it runs. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, parameters, effect, timeoutMs, outputCharsMax } = definition;
  return {
    ...(effect !== undefined && { effect }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(outputCharsMax !== undefined && { outputCharsMax }),
    description: { name, description, parameters: z.toJSONSchema(parameters) as Json },
    async run(args, context) {
      const parsed = parameters.safeParse(args);
      if (parsed.success) return definition.run(parsed.data, context);
      return failure('invalid', `Bad arguments for ${name}: ${z.prettifyError(parsed.error)}`);
    },
  };
}

export function failure(kind: ToolErrorKind, message: string): Outcome & { readonly ok: false } {
  return { ok: false, error: { kind, message } };
}
