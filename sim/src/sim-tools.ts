import type { Json } from '@pawl/core';
import type { EffectClass, Tool, ToolContext, ToolResult } from '@pawl/runtime';
import { markOf } from './oracle/book.ts';
import { delay, hop } from './port.ts';
import type { Driver, World } from './world.ts';

/** Tools of every kind of effect. What they do, they do to the world outside; they are called off as real ones are. */
export function toolsOf(world: World, driver: Driver): readonly Tool[] {
  const running =
    (run: (world: World, driver: Driver, run: Run) => Promise<ToolResult>): Tool['run'] =>
    (args, context) =>
      world.oracle.runs(
        driver,
        markOf(args),
        run(world, driver, { args, context, asked: world.scheduler.steps }),
      );
  return [
    tool('read', 'read-only', running(read)),
    {
      ...tool('edit', 'verifiable', running(edit)),
      settle: (args, { intent }) => settleEdit(world, driver, { args, intent }),
    },
    tool('send', 'keyed', running(send)),
    tool('shell', 'not-repeatable', running(shell)),
  ];
}

function tool(name: string, effect: EffectClass, run: Tool['run']): Tool {
  return { description: { name, description: name, parameters: { type: 'object' } }, effect, run };
}

/** `asked` is the step at which the runtime had it run. */
type Run = { readonly args: Json; readonly context: ToolContext; readonly asked: number };

async function read(world: World, driver: Driver, run: Run): Promise<ToolResult> {
  if (await isCalledOff(world, driver, run)) return calledOff;
  begin(world, driver, 'read', run);
  return ending(world, driver, run);
}

async function shell(world: World, driver: Driver, run: Run): Promise<ToolResult> {
  if (await isCalledOff(world, driver, run)) return calledOff;
  begin(world, driver, 'shell', run);
  run.context.execution?.hear(new TextEncoder().encode('working…'));
  run.context.report('half way');
  if (await isCalledOff(world, driver, run)) return calledOff;
  change(world, run.args);
  return ending(world, driver, run);
}

async function send(world: World, driver: Driver, run: Run): Promise<ToolResult> {
  if (await isCalledOff(world, driver, run)) return calledOff;
  begin(world, driver, 'send', run);
  const { sent } = world.outside;
  const key = run.context.execution?.id ?? '';
  // Whoever receives it knows the key: a second time it is not done again.
  if (!sent.has(key)) {
    sent.set(key, markOf(run.args));
    change(world, run.args);
  }
  return ending(world, driver, run);
}

async function edit(world: World, driver: Driver, run: Run): Promise<ToolResult> {
  if (await isCalledOff(world, driver, run)) return calledOff;
  const { files } = world.outside;
  const file = fileOf(driver, run.args);
  const before = files.get(file) ?? '';
  const after = markOf(run.args);
  const wanted = await run.context.execution?.intend({ before, after });
  const asked = world.scheduler.steps;
  if (wanted !== true || (await isCalledOff(world, driver, run))) return calledOff;
  if (files.get(file) === after) return done(run.args);
  if ((files.get(file) ?? '') !== before) return failed('interrupted', 'the file has changed meanwhile');
  begin(world, driver, 'edit', { ...run, asked });
  files.set(file, after);
  change(world, run.args);
  return ending(world, driver, run);
}

type Unsettled = { readonly args: Json; readonly intent: Json | null };

/** The file tells: it holds what it was to hold, or what it held before. */
async function settleEdit(
  world: World,
  driver: Driver,
  { args, intent }: Unsettled,
): Promise<ToolResult | 'run-again'> {
  await hop(world, callerOf(driver), { name: 'look', inMs: delay(world, 'tool') });
  const now = world.outside.files.get(fileOf(driver, args)) ?? '';
  if (now === textIn(intent, 'after')) return done(args);
  if (now === textIn(intent, 'before')) return 'run-again';
  return failed('interrupted', 'the file holds neither what it held nor what it was to hold');
}

function textIn(intent: Json | null, key: string): unknown {
  const isObject = typeof intent === 'object' && intent !== null && !Array.isArray(intent);
  return isObject ? (intent as Readonly<Record<string, Json>>)[key] : undefined;
}

function fileOf({ session }: Driver, args: Json): string {
  return `${session}/${String(textIn(args, 'path'))}`;
}

function callerOf({ process }: Driver): { readonly process: string; readonly kind: string } {
  return { process: process.name, kind: 'tool' };
}

async function isCalledOff(
  world: World,
  driver: Driver,
  { args, context: { signal } }: Run,
): Promise<boolean> {
  await hop(world, callerOf(driver), { name: markOf(args), inMs: delay(world, 'tool'), signal });
  return signal.aborted;
}

function begin(world: World, driver: Driver, name: string, { args, context, asked }: Run): void {
  const mark = markOf(args);
  world.outside.deed(mark).starts += 1;
  const execution = context.execution?.id ?? '';
  world.oracle.started(driver, { mark, tool: name, args: JSON.stringify(args), execution, asked });
}

function change(world: World, args: Json): void {
  const mark = markOf(args);
  world.outside.deed(mark).effects += 1;
  world.oracle.effected(mark);
}

/** The work is done; what comes back of it is another matter. */
async function ending(world: World, driver: Driver, run: Run): Promise<ToolResult> {
  const { faults } = world;
  const mark = markOf(run.args);
  const { signal } = run.context;
  if (faults.strikes('tool-throw', 'ending')) throw new Error(`simulated: ${mark} broke`);
  const isMute = faults.strikes('tool-hang', 'ending') || faults.strikes('tool-mute', 'ending');
  const inMs = isMute ? Infinity : delay(world, 'tool');
  await hop(world, callerOf(driver), { name: `${mark} ends`, inMs, signal });
  if (signal.aborted) return calledOff;
  if (faults.strikes('tool-unfit', 'ending')) return { ok: true, output: NaN };
  return done(run.args);
}

function done(args: Json): ToolResult {
  return { ok: true, output: { mark: markOf(args) } };
}

function failed(kind: 'interrupted', message: string): ToolResult {
  return { ok: false, error: { kind, message } };
}

const calledOff = failed('interrupted', 'called off while it ran');
