import type { Json } from '@pawl/core';
import { systemClock, type Clock } from '../clock.ts';
import { capText } from './output-cap.ts';
import { failure, type Tool, type ToolContext, type ToolLimits, type ToolResult } from './tool.ts';

/** Limits by the name of the tool; what is not said stays as the tool has it. */
export type LimitsByTool = { readonly [tool: string]: Partial<ToolLimits> };

/** For tools that say nothing themselves. */
export const defaultLimits: ToolLimits = { timeoutMs: 120_000, outputCharsMax: 100_000 };

/** After its time is up, a tool has so long to say how far it came. */
const graceMs = 3_000;

/**
 * Holds tools to their limits: a call that takes too long ends as a timeout, even if the tool does not listen, and an
 * output that is too long is cut in the middle.
 */
export function withLimits(
  tools: readonly Tool[],
  limits: LimitsByTool = {},
  clock: Clock = systemClock,
): readonly Tool[] {
  return tools.map((tool) => {
    const { name } = tool.description;
    const own = Object.hasOwn(limits, name) ? limits[name] : undefined;
    const { timeoutMs, outputCharsMax } = { ...defaultLimits, ...limitsOf(tool), ...own };
    return {
      ...tool,
      timeoutMs,
      outputCharsMax,
      async run(args, context) {
        const result = await (timeoutMs === null
          ? tool.run(args, context)
          : runInTime(tool, args, { context, timeoutMs, clock }));
        return capped(result, outputCharsMax);
      },
    };
  });
}

function limitsOf({ timeoutMs, outputCharsMax }: Tool): Partial<ToolLimits> {
  return {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(outputCharsMax !== undefined && { outputCharsMax }),
  };
}

type Timing = { readonly context: ToolContext; readonly timeoutMs: number; readonly clock: Clock };

/** The reason of the signal is a `TimeoutError` when time is up, so that a tool can tell that from being called off. */
async function runInTime(tool: Tool, args: Json, { context, timeoutMs, clock }: Timing): Promise<ToolResult> {
  const late = new AbortController();
  const done = new AbortController();
  const message = `${tool.description.name} timed out after ${timeoutMs / 1_000} s. Take a smaller step.`;
  const deadline = clock.until(clock.now() + timeoutMs, done.signal).then(async () => {
    if (!done.signal.aborted) late.abort(new DOMException(message, 'TimeoutError'));
    await clock.until(clock.now() + graceMs, done.signal);
    return failure('timeout', message);
  });
  try {
    const signal = AbortSignal.any([context.signal, late.signal]);
    const result = await Promise.race([tool.run(args, { ...context, signal }), deadline]);
    const wasLate = late.signal.aborted && !context.signal.aborted;
    return wasLate && !result.ok && result.error.kind === 'cancelled' ? failure('timeout', message) : result;
  } finally {
    done.abort();
  }
}

export function isTimeout(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
}

function capped(result: ToolResult, charsMax: number): ToolResult {
  const text = textOf(result);
  if (text === null) return failure('failed', 'The output is nested too deep to be used.');
  if (text.length <= charsMax) return result;
  const short = capText(text, charsMax);
  if (result.ok) return { ...result, output: short };
  return { ...result, error: { ...result.error, message: short } };
}

function textOf(result: ToolResult): string | null {
  if (!result.ok) return result.error.message;
  return typeof result.output === 'string' ? result.output : asText(result.output);
}

/** Null for what is nested so deep that writing it down fails. */
function asText(output: Json): string | null {
  try {
    return JSON.stringify(output);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
