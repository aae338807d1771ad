import {
  findTool,
  createToolFailure,
  createInterruptedResult,
  type Tool,
  type ExecutionHandle,
  type ToolResult,
  type UnfinishedCall,
} from '../tools/tool.ts';
import { hash } from 'node:crypto';
import { getUnpausedTurn, type ToolCall, type Json, type Session } from '@pawl/core';
import type { AgentDependencies } from './agent-dependencies.ts';
import { getErrorMessage } from '../text/one-line.ts';
import type { EventPoster } from '../ports/agent-ports.ts';
import { findSerializationProblem } from '../store/json-text.ts';
import type { SpooledExecution } from '../store/spool.ts';

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
async function rerunTool(run: ToolRun, context: ToolRunContext): Promise<void> {
  await postToolResult(run, context, await executeTool(run, context, acceptIntent));
}

/** Posts the result of a call. The spool forgets the call only once the result is persisted. */
async function postToolResult(run: ToolRun, context: ToolRunContext, result: ToolResult): Promise<void> {
  const { request, call, execution } = run;
  const { dependencies, post, canPersist } = context;
  const { files, tests, foundEntries, ...outcome } = result;
  const effects = { ...(files && { files }), ...(tests && { tests }), ...(foundEntries && { foundEntries }) };
  await post({ type: 'tool-finished', request, callId: call.id, outcome, ...effects });
  if (canPersist()) await dependencies.spool.remove(execution).catch(() => undefined);
}

/**
 * Whether the tool runs before its start is posted, to declare its intent. For all other calls the start is posted
 * first.
 */
export function declaresOwnStart(dependencies: AgentDependencies, call: ToolCall): boolean {
  const tool = findTool(dependencies.tools, call.tool);
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
  const tool = findTool(dependencies.tools, call.tool);
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

/** Calls that have started but not finished according to the log. */
type InterruptedCalls = {
  readonly request: number;
  readonly runs: readonly (ToolRun & Pick<UnfinishedCall, 'startedAt' | 'intent'>)[];
};

/** Returns null if there are none. */
export function findInterruptedCalls({ id, turn }: Session): InterruptedCalls | null {
  const active = getUnpausedTurn(turn);
  if (active.status !== 'executingTools') return null;
  const { request, since } = active;
  const runs = active.executions.flatMap((each) => {
    if (each.status !== 'running') return [];
    const { call, startedAt, intent = null } = each;
    const execution = deriveExecutionId(id, request, call.id);
    return [{ request, call, execution, startedAt: startedAt ?? since, intent }];
  });
  return runs.length === 0 ? null : { request, runs };
}

/** Reconciles the calls one after the other; each gets exactly one result. */
export async function reconcileCalls({ runs }: InterruptedCalls, context: ToolRunContext): Promise<void> {
  for (const run of runs) {
    if (context.signal.aborted) return;
    await reconcileCall(run, context);
  }
}

async function reconcileCall(run: InterruptedCalls['runs'][number], context: ToolRunContext): Promise<void> {
  const { dependencies, signal } = context;
  const { execution, startedAt, intent } = run;
  const spooled = await dependencies.spool
    .find(execution)
    .catch((): SpooledExecution => ({ result: null, output: null }));
  const unfinished = { execution, startedAt, intent, output: spooled.output, signal };
  const resolution = spooled.result ?? (await resolveInterruptedCall(run, unfinished, context));
  if (signal.aborted) return;
  if (resolution === 'run-again') await rerunTool(run, context);
  else await postToolResult(run, context, resolution);
}

async function resolveInterruptedCall(
  { call }: ToolRun,
  unfinished: UnfinishedCall,
  { dependencies }: ToolRunContext,
): Promise<ToolResult | 'run-again'> {
  const tool = findTool(dependencies.tools, call.tool);
  if (tool?.effect === 'read-only' || tool?.effect === 'keyed') return 'run-again';
  if (tool?.reconcile === undefined) return createInterruptedResult(unfinished);
  return tool
    .reconcile(call.args, unfinished)
    .catch((error: unknown) =>
      createInterruptedResult(unfinished, `Its state could not be determined: ${getErrorMessage(error)}`),
    );
}
