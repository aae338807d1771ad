import type { ToolResult } from '../../src/tools/tool.ts';

/** Long enough to be torn, and of a length and with lines of its own. */
export function createNumberedText(number: number): string {
  return `line of ${number}\n`.repeat(500 + (number % 7) * 300);
}

export function createNumberedResult(number: number): ToolResult {
  return { ok: true, output: createNumberedText(number) };
}
