import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderBenchmarksPage, type PrintedBench } from './lib/page.ts';

/** All benchmarks. Each runs in its own process, so that none benefits from JIT compilation by another. */
const benchFiles = [
  { file: 'transition.ts', title: 'Cost of one turn' },
  { file: 'governor.ts', title: 'Cost of the governor' },
  { file: 'audit.ts', title: 'Speed of an audit' },
  { file: 'paging.ts', title: 'Cost of working memory' },
  { file: 'loop.ts', title: 'Agent loop of a thousand steps' },
  { file: 'durable.ts', title: 'Cost of durable steps' },
  { file: 'distributed.ts', title: 'Cost of distributed workers' },
  { file: 'telemetry.ts', title: 'Cost of traces, metrics and logs' },
  { file: 'dashboard.ts', title: 'Load time of a long session in the dashboard' },
  { file: 'startup.ts', title: 'Startup time of a command' },
  { file: 'hook.ts', title: 'Latency of a hook' },
  { file: 'proxy.ts', title: 'Latency of the proxy' },
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
