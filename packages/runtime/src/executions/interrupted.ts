import { createToolFailure, type ToolResult, type UnfinishedCall } from '../tools/tool.ts';

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
