import type { Json, ToolOutcome, ToolErrorKind, ToolFinished } from '@pawl/core';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import type { FileChange } from './file-diff.ts';

export type ToolDescription = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Json;
};

export type ToolContext = {
  readonly signal: AbortSignal;
  /** Reports progress to observers. */
  report(progress: string): void;
  /** The durable record of this execution, if there is one; a tool must also work without it. */
  readonly execution?: ExecutionHandle;
};

/** One execution of one call, with a globally unique id. */
export type ExecutionHandle = {
  /** An idempotency key. */
  readonly id: string;
  /**
   * For a verifiable tool: records what it is about to do, before it does it. Resolves to false if the call is no
   * longer wanted.
   */
  recordIntent(intent: Json): Promise<boolean>;
  /** Records the call's output as it arrives, so that it survives the end of the process. */
  appendOutput(chunk: Uint8Array): void;
};

/** A call that was running when the process ended. */
export type UnfinishedCall = {
  readonly execution: string;
  readonly startedAt: number;
  readonly intent: Json | null;
  /** The output up to that point, as far as it is known. */
  readonly output: string | null;
  readonly signal: AbortSignal;
};

/** The outcome of a call and its known effects: files changed, tests run, memory entries found. */
export type ToolResult = ToolOutcome & Pick<ToolFinished, 'files' | 'tests' | 'foundEntries'>;

/**
 * The side effects of a call, which determine how an interrupted call is reconciled.
 * `read-only` has no effects: run it again · `verifiable` the file shows whether it was done · `keyed` an idempotency
 * key prevents a second execution · `not-repeatable` unknown: the model decides.
 */
export type EffectClass = 'read-only' | 'verifiable' | 'keyed' | 'not-repeatable';

export type ToolLimits = {
  /** Maximum duration of a call; null for no limit. */
  readonly timeoutMs: number | null;
  /** Maximum length of the output, as JSON, that goes into the conversation. */
  readonly outputCharsMax: number;
};

export type ReconcileCall = (args: Json, unfinished: UnfinishedCall) => Promise<ToolResult | 'run-again'>;

/** Contract: an expected failure is an outcome with `ok: false`, not an exception. */
export type Tool = Partial<ToolLimits> & {
  readonly description: ToolDescription;
  /** Defaults to `not-repeatable`. */
  readonly effect?: EffectClass;
  /** Whether calls with a path outside the agent's folder are denied. */
  readonly isConfinedToFolder?: boolean;
  run(args: Json, context: ToolContext): Promise<ToolResult>;
  /**
   * Determines what became of a call that was running when the process ended, and stops what is still running of it.
   * Without it, the effect class decides.
   */
  readonly reconcile?: ReconcileCall;
  /** Computes the change that a call would make to a file, for a person to review; null if it would fail. */
  readonly preview?: (args: Json) => Promise<FileChange | null>;
};

/** `parameters` is a schema of zod or of any other Standard Schema library. */
export type ToolDefinition<Schema extends StandardSchemaV1> = Partial<ToolLimits> & {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
  /** The same schema as JSON Schema, for libraries that cannot convert it. */
  readonly jsonSchema?: Json;
  readonly effect?: EffectClass;
  readonly isConfinedToFolder?: boolean;
  run(args: StandardSchemaV1.InferOutput<Schema>, context: ToolContext): Promise<ToolResult>;
  readonly reconcile?: ReconcileCall;
  readonly preview?: (args: StandardSchemaV1.InferOutput<Schema>) => Promise<FileChange | null>;
};

/** Creates a tool that validates its arguments before it runs. */
export function defineTool<Schema extends StandardSchemaV1>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, parameters, effect, isConfinedToFolder, timeoutMs, outputCharsMax } = definition;
  const { reconcile, preview } = definition;
  const validate = async (
    args: Json,
  ): Promise<StandardSchemaV1.Result<StandardSchemaV1.InferOutput<Schema>>> =>
    parameters['~standard'].validate(args);
  return {
    ...(preview !== undefined && {
      async preview(args: Json) {
        const parsed = await validate(args);
        return parsed.issues === undefined ? preview(parsed.value) : null;
      },
    }),
    ...(reconcile !== undefined && { reconcile }),
    ...(effect !== undefined && { effect }),
    ...(isConfinedToFolder !== undefined && { isConfinedToFolder }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(outputCharsMax !== undefined && { outputCharsMax }),
    description: { name, description, parameters: toParametersSchema(definition) },
    async run(args, context) {
      const checked = parameters['~standard'].validate(args);
      const parsed = checked instanceof Promise ? await checked : checked;
      if (parsed.issues !== undefined) {
        return createToolFailure(
          'invalid',
          `Invalid arguments for ${name}: ${parsed.issues.map(formatArgumentIssue).join('; ')}`,
        );
      }
      return definition.run(parsed.value, context);
    },
  };
}

function toParametersSchema<Schema extends StandardSchemaV1>(definition: ToolDefinition<Schema>): Json {
  const { name, parameters, jsonSchema } = definition;
  if (jsonSchema !== undefined) return jsonSchema;
  if (parameters instanceof z.ZodType) return z.toJSONSchema(parameters) as Json;
  const standard: object = parameters['~standard'];
  if ('jsonSchema' in standard) {
    const converter = standard.jsonSchema as StandardJSONSchemaV1.Converter;
    return converter.input({ target: 'draft-2020-12' }) as Json;
  }
  throw new TypeError(`The schema of ${name} cannot be converted to JSON Schema: pass it as "jsonSchema".`);
}

/** Formats a validation issue with its path in the arguments. */
function formatArgumentIssue({ message, path = [] }: StandardSchemaV1.Issue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? message : `${message} (at ${keys.join('.')})`;
}

export function createToolFailure(
  kind: ToolErrorKind,
  message: string,
): ToolOutcome & { readonly ok: false } {
  return { ok: false, error: { kind, message } };
}

/** Creates the tool result for a call that was interrupted at an unknown point. */
export function createInterruptedResult(
  { startedAt, output }: Pick<UnfinishedCall, 'startedAt' | 'output'>,
  details = '',
): ToolResult {
  const outputText =
    output === null || output === '' ? 'Its output is unknown.' : `Output so far:\n${output}`;
  return createToolFailure(
    'interrupted',
    `Interrupted: Pawl ended while this call was running (started ${formatStartTime(startedAt)}). It may have completed, ` +
      `partially completed or not run. ${details === '' ? '' : `${details} `}Check its effects before you repeat it. ${outputText}`,
  );
}

/** The timestamp may be outside the range of valid dates. */
function formatStartTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? `time ${at}` : date.toISOString();
}

export function findTool<Known extends Pick<Tool, 'description'>>(
  tools: readonly Known[],
  name: string,
): Known | undefined {
  return tools.find(({ description }) => description.name === name);
}
