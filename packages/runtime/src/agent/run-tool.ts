import type { ToolCall, Json } from '@pawl/core';
import { hash } from 'node:crypto';
import { type AgentDependencies } from './agent-dependencies.ts';
import { getErrorMessage } from '../text/one-line.ts';
import type { EventPoster } from '../ports/agent-ports.ts';
import { findSerializationProblem } from '../store/json-text.ts';
import { createToolFailure, type Tool, type ExecutionHandle, type ToolResult } from '../tools/tool.ts';

/** One tool call to run or to reconcile. */
export type ToolRun = {
  readonly request: number;
  readonly call: ToolCall;
  readonly execution: string;
};

export type ToolRunContext = {
  readonly dependencies: AgentDependencies;
  readonly post: EventPoster;
  readonly signal: AbortSignal;
  /** Whether posted events can still be persisted. */
  readonly canPersist: () => boolean;
};

/**
 * Runs one call. Its start is persisted before it has any effect, its result is spooled before it is posted, and a call
 * that the state machine no longer wants never starts.
 */
export async function runTool(run: ToolRun, context: ToolRunContext): Promise<void> {
  const { dependencies, post, signal } = context;
  if (signal.aborted) return;
  const { request, call } = run;
  let hasStarted = false;
  const start = (intent?: Json): Promise<boolean> => {
    hasStarted = true;
    return post({ type: 'tool-started', request, callId: call.id, ...(intent !== undefined && { intent }) });
  };
  // A verifiable tool declares its intent first, so that it can be reconciled later; the intent is posted with its
  // start.
  const declaresStart = declaresOwnStart(dependencies, call);
  if (!declaresStart && !(await start())) return;
  const result = await executeTool(run, context, declaresStart ? start : acceptIntent);
  if (!hasStarted && !(await start())) return;
  await postToolResult(run, context, result);
}

const acceptIntent = async (): Promise<boolean> => true;

/** Runs a call again whose start is already persisted. */
export async function rerunTool(run: ToolRun, context: ToolRunContext): Promise<void> {
  await postToolResult(run, context, await executeTool(run, context, acceptIntent));
}

/** Posts the result of a call. The spool forgets the call only once the result is persisted. */
export async function postToolResult(
  run: ToolRun,
  context: ToolRunContext,
  result: ToolResult,
): Promise<void> {
  const { request, call, execution } = run;
  const { dependencies, post, canPersist } = context;
  const { files, tests, foundEntries, ...outcome } = result;
  const effects = { ...(files && { files }), ...(tests && { tests }), ...(foundEntries && { foundEntries }) };
  await post({ type: 'tool-finished', request, callId: call.id, outcome, ...effects });
  if (canPersist()) await dependencies.spool.remove(execution).catch(() => undefined);
}

export function findTool({ tools }: AgentDependencies, name: string): Tool | undefined {
  return tools.find(({ description }) => description.name === name);
}

/**
 * Whether the tool runs before its start is posted, to declare its intent. For all other calls the start is posted
 * first.
 */
export function declaresOwnStart(dependencies: AgentDependencies, call: ToolCall): boolean {
  const tool = findTool(dependencies, call.tool);
  return tool?.effect === 'verifiable' && tool.reconcile !== undefined;
}

/** Results of non-repeatable calls must not be lost, because the calls cannot be run again. */
function isSpooled(tool: Tool): boolean {
  return tool.effect === undefined || tool.effect === 'not-repeatable';
}

async function executeTool(
  { call, execution, request }: ToolRun,
  { dependencies, post, signal }: ToolRunContext,
  recordIntent: ExecutionHandle['recordIntent'],
): Promise<ToolResult> {
  const tool = findTool(dependencies, call.tool);
  if (tool === undefined) {
    const names = dependencies.tools.map((each) => each.description.name).join(', ');
    return createToolFailure(
      'invalid',
      `There is no tool named ${JSON.stringify(call.tool)}. Available tools: ${names}.`,
    );
  }
  const { spool } = dependencies;
  const appendOutput = (chunk: Uint8Array): void => spool.appendOutput(execution, chunk);
  const report = (progress: string): void =>
    void post({ type: 'tool-progressed', request, callId: call.id, progress });
  const result = await tool
    .run(call.args, { signal, report, execution: { id: execution, recordIntent, appendOutput } })
    .then(createJsonGuard(call.tool), (error: unknown) =>
      createToolFailure('failed', `${call.tool} failed: ${getErrorMessage(error)}`),
    );
  // Best effort: at worst, the model is informed of an interruption.
  if (isSpooled(tool)) await spool.saveResult(execution, result).catch(() => undefined);
  return result;
}

/** Rejects results that are not plain JSON, because the log cannot hold them; the tool counts as failed. */
function createJsonGuard(name: string): (result: ToolResult) => ToolResult {
  return (result) => {
    const problem = findSerializationProblem(result);
    return problem === null
      ? result
      : createToolFailure('failed', `${name} ran, but its result is not plain JSON: ${problem}.`);
  };
}

/**
 * Derives a unique id for one execution of one call. Call ids alone are not unique: a provider may reuse them within a
 * session or across sessions.
 */
export function deriveExecutionId(session: string, request: number, callId: string): string {
  return hash('sha256', JSON.stringify([session, request, callId]), 'hex').slice(0, 40);
}
