import { failure, type ToolResult, type Unfinished } from '../tools/tool.ts';

/** What the model is told of a call when nobody knows how far it got. */
export function interrupted(
  { startedAt, output }: Pick<Unfinished, 'startedAt' | 'output'>,
  known = '',
): ToolResult {
  const written =
    output === null || output === '' ? 'Nothing it wrote is known.' : `What it had written:\n${output}`;
  return failure(
    'interrupted',
    `Pawl ended while this was running, which it was since ${when(startedAt)}: it may have run fully, partly or not at ` +
      `all. ${known === '' ? '' : `${known} `}Look before you repeat it. ${written}`,
  );
}

/** A clock may say anything; not every number is a date. */
function when(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? `time ${at}` : date.toISOString();
}
