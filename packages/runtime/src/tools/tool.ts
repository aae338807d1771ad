import type { Json, Outcome, ToolErrorKind, ToolFinished } from '@pawl/core';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
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
  /** What is kept of this run beyond the life of the process. Without it a tool does its work all the same. */
  readonly execution?: ToolExecution;
};

/** One run of one call, told from all others there ever are. */
export type ToolExecution = {
  /** A key for whoever must not do the same thing twice. */
  readonly id: string;
  /**
   * For a verifiable tool: puts on record what it is about to do, and only then does it. Resolves to false when nobody wants
   * it done any longer.
   */
  intend(intent: Json): Promise<boolean>;
  /** Takes what the call writes as it comes, so that it is known even if the process ends. */
  hear(chunk: Uint8Array): void;
};

/** A call that was running when the process ended. */
export type Unfinished = {
  readonly execution: string;
  readonly startedAt: number;
  readonly intent: Json | null;
  /** What it had written by then, as far as that is known. */
  readonly output: string | null;
  readonly signal: AbortSignal;
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

export type Settle = (args: Json, unfinished: Unfinished) => Promise<ToolResult | 'run-again'>;

/** Contract: an expected failure is an outcome with `ok: false`, not an exception. */
export type Tool = Partial<ToolLimits> & {
  readonly description: ToolDescription;
  /** A tool that does not say is taken for one that must not be repeated. */
  readonly effect?: EffectClass;
  run(args: Json, context: ToolContext): Promise<ToolResult>;
  /**
   * Finds out what became of a call that was running when the process ended, and ends whatever of it still goes on.
   * Without it, what the effect class says is done.
   */
  readonly settle?: Settle;
};

/** `parameters` is a schema of zod or of any other library that keeps to Standard Schema. */
export type ToolDefinition<Schema extends StandardSchemaV1> = Partial<ToolLimits> & {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
  /** The same as JSON Schema, for libraries that cannot tell it themselves. */
  readonly jsonSchema?: Json;
  readonly effect?: EffectClass;
  run(args: StandardSchemaV1.InferOutput<Schema>, context: ToolContext): Promise<ToolResult>;
  readonly settle?: Settle;
};

/** Makes a tool that checks its arguments against its schema before it runs. */
export function defineTool<Schema extends StandardSchemaV1>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, parameters, effect, timeoutMs, outputCharsMax, settle } = definition;
  return {
    ...(settle !== undefined && { settle }),
    ...(effect !== undefined && { effect }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(outputCharsMax !== undefined && { outputCharsMax }),
    description: { name, description, parameters: jsonSchemaOf(definition) },
    async run(args, context) {
      const checked = parameters['~standard'].validate(args);
      const parsed = checked instanceof Promise ? await checked : checked;
      if (parsed.issues !== undefined) {
        return failure('invalid', `Bad arguments for ${name}: ${parsed.issues.map(issueText).join('; ')}`);
      }
      return definition.run(parsed.value, context);
    },
  };
}

function jsonSchemaOf<Schema extends StandardSchemaV1>(definition: ToolDefinition<Schema>): Json {
  const { name, parameters, jsonSchema } = definition;
  if (jsonSchema !== undefined) return jsonSchema;
  if (parameters instanceof z.ZodType) return z.toJSONSchema(parameters) as Json;
  const standard: object = parameters['~standard'];
  if ('jsonSchema' in standard) {
    const converter = standard.jsonSchema as StandardJSONSchemaV1.Converter;
    return converter.input({ target: 'draft-2020-12' }) as Json;
  }
  throw new TypeError(
    `A model cannot be shown the schema of ${name}: give it as JSON Schema, as jsonSchema.`,
  );
}

/** What is wrong, and where in the arguments. */
function issueText({ message, path = [] }: StandardSchemaV1.Issue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? message : `${message} (at ${keys.join('.')})`;
}

export function failure(kind: ToolErrorKind, message: string): Outcome & { readonly ok: false } {
  return { ok: false, error: { kind, message } };
}
