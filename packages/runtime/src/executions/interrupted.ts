import { createToolFailure, type ToolResult, type UnfinishedCall } from '../tools/tool.ts';

/** Creates the tool result for a call that was interrupted at an unknown point. */
export function createInterruptedResult(
  { startedAt, output }: Pick<UnfinishedCall, 'startedAt' | 'output'>,
  known = '',
): ToolResult {
  const written =
    output === null || output === '' ? 'Nothing it wrote is known.' : `What it had written:\n${output}`;
  return createToolFailure(
    'interrupted',
    `Pawl ended while this was running, which it was since ${formatStartTime(startedAt)}: it may have run fully, partly or not at ` +
      `all. ${known === '' ? '' : `${known} `}Look before you repeat it. ${written}`,
  );
}

/** The timestamp may be outside the range of valid dates. */
function formatStartTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? `time ${at}` : date.toISOString();
}
