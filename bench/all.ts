import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchmarksPage, type Printed } from './lib/page.ts';

/** Every bench, what it is about, each in a process of its own so that none inherits what the engine learnt from another. */
const benches = [
  { file: 'transition.ts', title: 'What one turn costs' },
  { file: 'governor.ts', title: 'What the governor costs' },
  { file: 'paging.ts', title: 'What memory costs' },
  { file: 'loop.ts', title: 'A thousand steps of an agent' },
  { file: 'durable.ts', title: 'What keeping every step costs' },
  { file: 'distributed.ts', title: 'What sharing sessions among workers costs' },
  { file: 'telemetry.ts', title: 'What traces, metrics and logs cost' },
  { file: 'dashboard.ts', title: 'How soon a long session is in the browser' },
  { file: 'startup.ts', title: 'How soon a command is there' },
  { file: 'hook.ts', title: 'What a hook costs a coding agent' },
  { file: 'proxy.ts', title: 'What the proxy adds' },
];

const options = process.argv.slice(2);
const printed: Printed[] = [];
const startedAt = new Date();
for (const { file, title } of benches) {
  console.log(`\n${file}\n`);
  const began = performance.now();
  const text = await run(join(import.meta.dirname, file));
  console.error(`(${file} took ${Math.round((performance.now() - began) / 1_000)} s)`);
  if (text === null) process.exitCode = 1;
  else printed.push({ file, title, text });
}
// A short run, part of one, or one in another form is not to be quoted.
if (options.length === 0 && printed.length === benches.length) {
  const page = join(import.meta.dirname, '..', 'docs', 'benchmarks.md');
  writeFileSync(page, benchmarksPage(printed, startedAt));
  console.log('\nWritten to docs/benchmarks.md.');
}

/** What a bench printed, shown as it comes; null if it failed. */
function run(path: string): Promise<string | null> {
  const child = spawn(process.execPath, [path, ...options], { stdio: ['inherit', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  return new Promise((resolve) => {
    child.on('close', (code) => resolve(code === 0 ? text : null));
  });
}
