import { getUnpausedTurn, type Session } from '@pawl/core';
import { getErrorMessage } from '../text/one-line.ts';
import {
  deriveExecutionId,
  rerunTool,
  postToolResult,
  findTool,
  type ToolRunContext,
  type ToolRun,
} from './run-tool.ts';
import { createInterruptedResult, type ToolResult, type UnfinishedCall } from '../tools/tool.ts';
import type { SpooledExecution } from '../store/spool.ts';

/** Calls that have started but not finished according to the log. */
export type InterruptedCalls = {
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
  const tool = findTool(dependencies, call.tool);
  if (tool?.effect === 'read-only' || tool?.effect === 'keyed') return 'run-again';
  if (tool?.reconcile === undefined) return createInterruptedResult(unfinished);
  return tool
    .reconcile(call.args, unfinished)
    .catch((error: unknown) =>
      createInterruptedResult(unfinished, `Its state could not be determined: ${getErrorMessage(error)}`),
    );
}
