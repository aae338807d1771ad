import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createUpperAim } from './lib/aim.ts';
import { readBenchMachine } from './lib/environment.ts';
import { readBenchOptions } from './lib/options.ts';
import { measureProcessStarts, formatStartsReport } from './lib/process-starts.ts';

const help = `Usage: node bench/hook.ts [--quick] [--json]

Times a Pawl hook as a coding agent runs it for each call, from process start to exit, in the middle of a long session,
compared with a Node process that does nothing.

  --quick   short run, for testing only
  --json    print the results as JSON
  --help    show this help`;

const hookEntry = fileURLToPath(new URL('../packages/cli/bin/pawl-hook.cjs', import.meta.url));
const benchDataFolder = mkdtempSync(join(tmpdir(), 'pawl-bench-hook-'));

/** Builds a hook input as Claude Code sends it. Each call reads a new file, as in work that makes progress. */
function createHookInput(hook_event_name: string, number: number): string {
  const tool_input = { file_path: `/src/part-${number}.ts` };
  const tool_response = { type: 'text', file: { content: `export const part = ${number};\n`.repeat(400) } };
  const call = {
    session_id: 'bench',
    transcript_path: '/x',
    cwd: '/',
    hook_event_name,
    tool_name: 'Read',
    tool_input,
  };
  return JSON.stringify(hook_event_name === 'PreToolUse' ? call : { ...call, tool_response });
}

const hookCommands = [
  { name: 'node, doing nothing', args: ['--eval', ''], event: null },
  { name: 'before a call', args: [hookEntry, 'claude'], event: 'PreToolUse' },
  { name: 'after a call', args: [hookEntry, 'claude'], event: 'PostToolUse' },
] as const;

type BenchHookCommand = (typeof hookCommands)[number];

function timeHook({ name, args, event }: BenchHookCommand, number: number): number {
  const start = performance.now();
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    input: event === null ? '' : createHookInput(event, number),
    encoding: 'utf8',
    env: { ...process.env, XDG_DATA_HOME: benchDataFolder },
  });
  const elapsedMs = performance.now() - start;
  if (status !== 0 || stdout !== '') throw new Error(`${name} failed: ${stderr || stdout}`);
  return elapsedMs;
}

const options = readBenchOptions(help);
if (options !== null) {
  const rounds = options.quick ? 3 : 21;
  // The warm-up rounds only fill the session.
  const milliseconds = measureProcessStarts(hookCommands, timeHook, {
    rounds,
    warmUp: options.quick ? 1 : 50,
  });
  const aims = milliseconds
    .slice(1)
    .map(({ name, byNode }) => createUpperAim(`times Node's start for a hook ${name}`, 1.6, byNode.median));
  const result = { environment: readBenchMachine(), rounds, milliseconds, aims };
  console.log(options.json ? JSON.stringify(result, null, 2) : formatStartsReport(result));
}
rmSync(benchDataFolder, { recursive: true });
