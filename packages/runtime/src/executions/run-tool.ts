import type { Call, Json } from '@pawl/core';
import { jsonProblem } from '../store/json-text.ts';
import { failure, type Tool, type ToolExecution, type ToolResult } from '../tools/tool.ts';
import { messageOf, type Post, type World } from '../work.ts';

/** One call to be run, or to be found out about. */
export type ToolRun = {
  readonly request: number;
  readonly call: Call;
  readonly execution: string;
};

export type RunMeans = {
  readonly world: World;
  readonly post: Post;
  readonly signal: AbortSignal;
  /** Whether what is posted can still be kept. */
  readonly isKept: () => boolean;
};

/**
 * Runs one call. Its start is on record before it has any effect, its result is out of harm's way before it is told, and a
 * call the machine no longer wants never starts.
 */
export async function runTool(run: ToolRun, means: RunMeans): Promise<void> {
  const { world, post, signal } = means;
  if (signal.aborted) return;
  const { request, call } = run;
  let hasStarted = false;
  const start = (intent?: Json): Promise<boolean> => {
    hasStarted = true;
    return post({ type: 'tool-started', request, callId: call.id, ...(intent !== undefined && { intent }) });
  };
  // A tool that can tell later whether it was done says first what it is about to do: that is its start.
  const isByItself = startsItself(world, call);
  if (!isByItself && !(await start())) return;
  const result = await resultOf(run, means, isByItself ? start : alreadyStarted);
  if (!hasStarted && !(await start())) return;
  await tell(run, means, result);
}

const alreadyStarted = async (): Promise<boolean> => true;

/** Runs a call again whose start is on record. */
export async function runAgain(run: ToolRun, means: RunMeans): Promise<void> {
  await tell(run, means, await resultOf(run, means, alreadyStarted));
}

/** Tells how a call ended. Only once that is kept is what the spool knows of it forgotten. */
export async function tell(run: ToolRun, means: RunMeans, result: ToolResult): Promise<void> {
  const { request, call, execution } = run;
  const { world, post, isKept } = means;
  const { files, tests, found, ...outcome } = result;
  const known = { ...(files && { files }), ...(tests && { tests }), ...(found && { found }) };
  await post({ type: 'tool-finished', request, callId: call.id, outcome, ...known });
  if (isKept()) await world.spool.forget(execution).catch(() => undefined);
}

export function toolNamed({ tools }: World, name: string): Tool | undefined {
  return tools.find(({ description }) => description.name === name);
}

/** Whether the tool runs before its start is said. The first thing that is done for every other call is to say it. */
export function startsItself(world: World, call: Call): boolean {
  const tool = toolNamed(world, call.tool);
  return tool?.effect === 'verifiable' && tool.settle !== undefined;
}

/** What must not be run again, and so must not be lost. */
function isSpooled(tool: Tool): boolean {
  return tool.effect === undefined || tool.effect === 'not-repeatable';
}

async function resultOf(
  { call, execution, request }: ToolRun,
  { world, post, signal }: RunMeans,
  intend: ToolExecution['intend'],
): Promise<ToolResult> {
  const tool = toolNamed(world, call.tool);
  if (tool === undefined) {
    const known = world.tools.map((each) => each.description.name).join(', ');
    return failure('invalid', `There is no tool named ${JSON.stringify(call.tool)}. There are: ${known}.`);
  }
  const { spool } = world;
  const hear = (chunk: Uint8Array): void => spool.hear(execution, chunk);
  const report = (progress: string): void =>
    void post({ type: 'tool-progressed', request, callId: call.id, progress });
  const result = await tool
    .run(call.args, { signal, report, execution: { id: execution, intend, hear } })
    .then(fitToKeep(call.tool), (error: unknown) =>
      failure('failed', `${call.tool} failed: ${messageOf(error)}`),
    );
  // Where this fails, the worst that can come of it is that the model is told of an interruption.
  if (isSpooled(tool)) await spool.keep(execution, result).catch(() => undefined);
  return result;
}

/** A log holds plain JSON. A tool that gives back something else has failed, and nothing else stops for it. */
function fitToKeep(name: string): (result: ToolResult) => ToolResult {
  return (result) => {
    const problem = jsonProblem(result);
    return problem === null
      ? result
      : failure('failed', `${name} ran, but what it gave back is not plain JSON: ${problem}.`);
  };
}
