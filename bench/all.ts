import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderBenchmarksPage, type PrintedBench } from './lib/page.ts';

/** All benchmarks. Each runs in its own process, so that none benefits from JIT compilation by another. */
const benchFiles = [
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
const printedBenches: PrintedBench[] = [];
const startedAt = new Date();
for (const { file, title } of benchFiles) {
  console.log(`\n${file}\n`);
  const began = performance.now();
  const text = await runBench(join(import.meta.dirname, file));
  console.error(`(${file} took ${Math.round((performance.now() - began) / 1_000)} s)`);
  if (text === null) process.exitCode = 1;
  else printedBenches.push({ file, title, text });
}
// Publish only complete runs with default options.
if (options.length === 0 && printedBenches.length === benchFiles.length) {
  const page = join(import.meta.dirname, '..', 'docs', 'benchmarks.md');
  writeFileSync(page, renderBenchmarksPage(printedBenches, startedAt));
  console.log('\nWritten to docs/benchmarks.md.');
}

/** Runs a benchmark, prints its output as it arrives, and resolves to the output, or to null on failure. */
function runBench(path: string): Promise<string | null> {
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
