import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atMost } from './lib/aim.ts';
import { environment } from './lib/environment.ts';
import { readOptions } from './lib/options.ts';
import { measureStarts, startsReport } from './lib/starts.ts';

const help = `Usage: node bench/hook.ts [--quick] [--json]

Times what a coding agent waits for at each of its calls: a hook of Pawl, from the start of its process to its end, in the
middle of a long session, beside a Node that does nothing.

  --quick   a short run: enough to see that it works, too short to be quoted
  --json    the same numbers as JSON
  --help    this text`;

const entry = fileURLToPath(new URL('../packages/cli/bin/pawl-hook.js', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'pawl-bench-hook-'));

/** A call as Claude Code tells of it. What it reads is new each time, as in work that moves. */
function told(hook_event_name: string, number: number): string {
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

const commands = [
  { name: 'node, doing nothing', args: ['--eval', ''], event: null },
  { name: 'before a call', args: [entry, 'claude'], event: 'PreToolUse' },
  { name: 'after a call', args: [entry, 'claude'], event: 'PostToolUse' },
] as const;

type Command = (typeof commands)[number];

function time({ name, args, event }: Command, number: number): number {
  const start = performance.now();
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    input: event === null ? '' : told(event, number),
    encoding: 'utf8',
    env: { ...process.env, XDG_DATA_HOME: data },
  });
  const taken = performance.now() - start;
  if (status !== 0 || stdout !== '') throw new Error(`${name} failed: ${stderr || stdout}`);
  return taken;
}

const options = readOptions(help);
if (options !== null) {
  const rounds = options.quick ? 3 : 21;
  // The rounds before only fill the session.
  const milliseconds = measureStarts(commands, time, { rounds, warmUp: options.quick ? 1 : 50 });
  const aims = milliseconds.slice(1).map(({ name, median }) => atMost(`ms for a hook ${name}`, 100, median));
  const result = { environment: environment(), rounds, milliseconds, aims };
  console.log(options.json ? JSON.stringify(result, null, 2) : startsReport(result));
}
rmSync(data, { recursive: true });
