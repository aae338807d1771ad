import type { Json } from '@pawl/core';
import { expect } from 'vitest';
import type { Tool, ToolContext, ToolResult } from '../../src/tools/tool.ts';

/** Runs a tool as the agent would. */
export function runTestTool(
  tool: Tool,
  args: Json,
  { signal = new AbortController().signal, report = () => undefined }: Partial<ToolContext> = {},
): Promise<ToolResult> {
  return tool.run(args, { signal, report });
}

export function matchRefusal(kind: string, message: RegExp): unknown {
  return { ok: false, error: { kind, message: expect.stringMatching(message) as unknown } };
}
