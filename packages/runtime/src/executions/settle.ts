import { unpaused, type Session } from '@pawl/core';
import { messageOf } from '../work.ts';
import { executionId } from './execution-id.ts';
import { interrupted } from './interrupted.ts';
import { runAgain, tell, toolNamed, type RunMeans, type ToolRun } from './run-tool.ts';
import type { Spooled } from './spool.ts';
import type { ToolResult, Unfinished } from '../tools/tool.ts';

/** Calls that have started and not ended, as far as the log knows. */
export type Unsettled = {
  readonly request: number;
  readonly runs: readonly (ToolRun & Pick<Unfinished, 'startedAt' | 'intent'>)[];
};

/** Null when there are none. */
export function unsettled({ id, turn }: Session): Unsettled | null {
  const held = unpaused(turn);
  if (held.status !== 'executingTools') return null;
  const { request, since } = held;
  const runs = held.executions.flatMap((each) => {
    if (each.status !== 'running') return [];
    const { call, startedAt, intent = null } = each;
    const execution = executionId(id, request, call.id);
    return [{ request, call, execution, startedAt: startedAt ?? since, intent }];
  });
  return runs.length === 0 ? null : { request, runs };
}

/** Finds out what became of each call, one after the other; each comes to exactly one end. */
export async function settleAll({ runs }: Unsettled, means: RunMeans): Promise<void> {
  for (const run of runs) {
    if (means.signal.aborted) return;
    await settle(run, means);
  }
}

async function settle(run: Unsettled['runs'][number], means: RunMeans): Promise<void> {
  const { world, signal } = means;
  const { execution, startedAt, intent } = run;
  const spooled = await world.spool.find(execution).catch((): Spooled => ({ result: null, output: null }));
  const unfinished = { execution, startedAt, intent, output: spooled.output, signal };
  const became = spooled.result ?? (await becameOf(run, unfinished, means));
  if (signal.aborted) return;
  if (became === 'run-again') await runAgain(run, means);
  else await tell(run, means, became);
}

async function becameOf(
  { call }: ToolRun,
  unfinished: Unfinished,
  { world }: RunMeans,
): Promise<ToolResult | 'run-again'> {
  const tool = toolNamed(world, call.tool);
  if (tool?.effect === 'read-only' || tool?.effect === 'keyed') return 'run-again';
  if (tool?.settle === undefined) return interrupted(unfinished);
  return tool
    .settle(call.args, unfinished)
    .catch((error: unknown) => interrupted(unfinished, `It cannot be looked up: ${messageOf(error)}`));
}
