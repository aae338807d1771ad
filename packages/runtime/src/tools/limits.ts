import type { Json } from '@pawl/core';
import { systemClock, type RuntimeClock } from '../platform/clock.ts';
import { capText } from './output-cap.ts';
import { createToolFailure, type Tool, type ToolContext, type ToolLimits, type ToolResult } from './tool.ts';

/** Limits by tool name; omitted limits keep the tool's own values. */
export type LimitsByTool = { readonly [tool: string]: Partial<ToolLimits> };

/** Applies to tools that define no limits. */
export const defaultToolLimits: ToolLimits = { timeoutMs: 120_000, outputCharsMax: 100_000 };

/** How long a tool may take to return a partial result after its timeout. */
const timeoutGraceMs = 3_000;

/**
 * Enforces tool limits: a call that takes too long ends as a timeout, even if the tool ignores the signal, and an
 * output that is too long is truncated in the middle.
 */
export function applyToolLimits(
  tools: readonly Tool[],
  limits: LimitsByTool = {},
  clock: RuntimeClock = systemClock,
): readonly Tool[] {
  return tools.map((tool) => {
    const { name } = tool.description;
    const own = Object.hasOwn(limits, name) ? limits[name] : undefined;
    const { timeoutMs, outputCharsMax } = { ...defaultToolLimits, ...getToolLimits(tool), ...own };
    return {
      ...tool,
      timeoutMs,
      outputCharsMax,
      async run(args, context) {
        const result = await (timeoutMs === null
          ? tool.run(args, context)
          : runToolWithTimeout(tool, args, { context, timeoutMs, clock }));
        return capToolResult(result, outputCharsMax);
      },
    };
  });
}

function getToolLimits({ timeoutMs, outputCharsMax }: Tool): Partial<ToolLimits> {
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(outputCharsMax !== undefined && { outputCharsMax }),
  };
}

type TimedRunOptions = {
  readonly context: ToolContext;
  readonly timeoutMs: number;
  readonly clock: RuntimeClock;
};

/** On timeout the signal's reason is a `TimeoutError`, so that a tool can distinguish it from a cancellation. */
async function runToolWithTimeout(
  tool: Tool,
  args: Json,
  { context, timeoutMs, clock }: TimedRunOptions,
): Promise<ToolResult> {
  const expired = new AbortController();
  const done = new AbortController();
  const message = `${tool.description.name} timed out after ${timeoutMs / 1_000} s. Take a smaller step.`;
  const deadline = clock.sleepUntil(clock.now() + timeoutMs, done.signal).then(async () => {
    if (!done.signal.aborted) expired.abort(new DOMException(message, 'TimeoutError'));
    await clock.sleepUntil(clock.now() + timeoutGraceMs, done.signal);
    return createToolFailure('timeout', message);
  });
  try {
    const signal = AbortSignal.any([context.signal, expired.signal]);
    const result = await Promise.race([tool.run(args, { ...context, signal }), deadline]);
    const hasTimedOut = expired.signal.aborted && !context.signal.aborted;
    return hasTimedOut && !result.ok && result.error.kind === 'cancelled'
      ? createToolFailure('timeout', message)
      : result;
  } finally {
    done.abort();
  }
}

export function isTimeoutSignal(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
}

function capToolResult(result: ToolResult, charsMax: number): ToolResult {
  const text = getToolResultText(result);
  if (text === null) return createToolFailure('failed', 'The output is nested too deeply to be used.');
  if (text.length <= charsMax) return result;
  const capped = capText(text, charsMax);
  if (result.ok) return { ...result, output: capped };
  return { ...result, error: { ...result.error, message: capped } };
}

function getToolResultText(result: ToolResult): string | null {
  if (!result.ok) return result.error.message;
  return typeof result.output === 'string' ? result.output : tryStringify(result.output);
}

/** Returns null if the output is nested too deeply to serialize. */
function tryStringify(output: Json): string | null {
  try {
    return JSON.stringify(output);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
