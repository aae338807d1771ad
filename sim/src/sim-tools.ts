import type { Json } from '@pawl/core';
import type { EffectClass, Tool, ToolContext, ToolResult } from '@pawl/runtime';
import { getCallMark } from './oracle/session-ledger.ts';
import { drawDelay, waitForScheduler } from './port-call.ts';
import type { SessionDriver, SimWorld } from './sim-world.ts';

/** Tools of every effect class. They act on the simulated external world and react to cancellation like real tools. */
export function createSimTools(world: SimWorld, driver: SessionDriver): readonly Tool[] {
  const running =
    (run: (world: SimWorld, driver: SessionDriver, run: SimToolRun) => Promise<ToolResult>): Tool['run'] =>
    (args, context) =>
      world.oracle.trackRun(
        driver,
        getCallMark(args),
        run(world, driver, { args, context, requestedAt: world.scheduler.steps }),
      );
  return [
    createSimTool('read', 'read-only', running(runSimRead)),
    {
      ...createSimTool('edit', 'verifiable', running(runSimEdit)),
      reconcile: (args, { intent }) => reconcileEdit(world, driver, { args, intent }),
    },
    createSimTool('send', 'keyed', running(runSimSend)),
    createSimTool('shell', 'not-repeatable', running(runSimShell)),
  ];
}

function createSimTool(name: string, effect: EffectClass, run: Tool['run']): Tool {
  return { description: { name, description: name, parameters: { type: 'object' } }, effect, run };
}

/** `asked` is the step at which the runtime started the tool. */
type SimToolRun = { readonly args: Json; readonly context: ToolContext; readonly requestedAt: number };

async function runSimRead(world: SimWorld, driver: SessionDriver, run: SimToolRun): Promise<ToolResult> {
  if (await waitOrCancel(world, driver, run)) return cancelledResult;
  recordStart(world, driver, 'read', run);
  return finishToolRun(world, driver, run);
}

async function runSimShell(world: SimWorld, driver: SessionDriver, run: SimToolRun): Promise<ToolResult> {
  if (await waitOrCancel(world, driver, run)) return cancelledResult;
  recordStart(world, driver, 'shell', run);
  run.context.execution?.appendOutput(new TextEncoder().encode('working…'));
  run.context.report('half way');
  if (await waitOrCancel(world, driver, run)) return cancelledResult;
  recordEffect(world, run.args);
  return finishToolRun(world, driver, run);
}

async function runSimSend(world: SimWorld, driver: SessionDriver, run: SimToolRun): Promise<ToolResult> {
  if (await waitOrCancel(world, driver, run)) return cancelledResult;
  recordStart(world, driver, 'send', run);
  const { sent } = world.externalWorld;
  const key = run.context.execution?.id ?? '';
  // The receiver deduplicates by key.
  if (!sent.has(key)) {
    sent.set(key, getCallMark(run.args));
    recordEffect(world, run.args);
  }
  return finishToolRun(world, driver, run);
}

async function runSimEdit(world: SimWorld, driver: SessionDriver, run: SimToolRun): Promise<ToolResult> {
  if (await waitOrCancel(world, driver, run)) return cancelledResult;
  const { files } = world.externalWorld;
  const file = getFileKey(driver, run.args);
  const before = files.get(file) ?? '';
  const after = getCallMark(run.args);
  const isRecorded = await run.context.execution?.recordIntent({ before, after });
  const requestedAt = world.scheduler.steps;
  if (isRecorded !== true || (await waitOrCancel(world, driver, run))) return cancelledResult;
  if (files.get(file) === after) return createMarkedResult(run.args);
  if ((files.get(file) ?? '') !== before)
    return createSimFailure('interrupted', 'the file was changed in the meantime');
  recordStart(world, driver, 'edit', { ...run, requestedAt });
  files.set(file, after);
  recordEffect(world, run.args);
  return finishToolRun(world, driver, run);
}

type InterruptedEdit = { readonly args: Json; readonly intent: Json | null };

/** Decides from the file content whether the interrupted edit was applied. */
async function reconcileEdit(
  world: SimWorld,
  driver: SessionDriver,
  { args, intent }: InterruptedEdit,
): Promise<ToolResult | 'run-again'> {
  await waitForScheduler(world, getToolCaller(driver), { name: 'look', inMs: drawDelay(world, 'tool') });
  const now = world.externalWorld.files.get(getFileKey(driver, args)) ?? '';
  if (now === getJsonProperty(intent, 'after')) return createMarkedResult(args);
  if (now === getJsonProperty(intent, 'before')) return 'run-again';
  return createSimFailure('interrupted', 'the file has neither its old nor its new content');
}

function getJsonProperty(intent: Json | null, key: string): unknown {
  const isObject = typeof intent === 'object' && intent !== null && !Array.isArray(intent);
  return isObject ? (intent as Readonly<Record<string, Json>>)[key] : undefined;
}

function getFileKey({ session }: SessionDriver, args: Json): string {
  return `${session}/${String(getJsonProperty(args, 'path'))}`;
}

function getToolCaller({ process }: SessionDriver): { readonly process: string; readonly kind: string } {
  return { process: process.name, kind: 'tool' };
}

async function waitOrCancel(
  world: SimWorld,
  driver: SessionDriver,
  { args, context: { signal } }: SimToolRun,
): Promise<boolean> {
  await waitForScheduler(world, getToolCaller(driver), {
    name: getCallMark(args),
    inMs: drawDelay(world, 'tool'),
    signal,
  });
  return signal.aborted;
}

function recordStart(
  world: SimWorld,
  driver: SessionDriver,
  name: string,
  { args, context, requestedAt }: SimToolRun,
): void {
  const mark = getCallMark(args);
  world.externalWorld.getEffects(mark).starts += 1;
  const execution = context.execution?.id ?? '';
  world.oracle.onStarted(driver, { mark, tool: name, args: JSON.stringify(args), execution, requestedAt });
}

function recordEffect(world: SimWorld, args: Json): void {
  const mark = getCallMark(args);
  world.externalWorld.getEffects(mark).changes += 1;
  world.oracle.onEffect(mark);
}

/** The effect has happened; whether a result comes back depends on the faults. */
async function finishToolRun(world: SimWorld, driver: SessionDriver, run: SimToolRun): Promise<ToolResult> {
  const { faults } = world;
  const mark = getCallMark(run.args);
  const { signal } = run.context;
  if (faults.shouldFail('tool-throw', 'ending')) throw new Error(`simulated: ${mark} broke`);
  const isMute = faults.shouldFail('tool-hang', 'ending') || faults.shouldFail('tool-mute', 'ending');
  const inMs = isMute ? Infinity : drawDelay(world, 'tool');
  await waitForScheduler(world, getToolCaller(driver), { name: `${mark} ends`, inMs, signal });
  if (signal.aborted) return cancelledResult;
  if (faults.shouldFail('tool-unfit', 'ending')) return { ok: true, output: NaN };
  return createMarkedResult(run.args);
}

function createMarkedResult(args: Json): ToolResult {
  return { ok: true, output: { mark: getCallMark(args) } };
}

function createSimFailure(kind: 'interrupted', message: string): ToolResult {
  return { ok: false, error: { kind, message } };
}

const cancelledResult = createSimFailure('interrupted', 'cancelled while it ran');
