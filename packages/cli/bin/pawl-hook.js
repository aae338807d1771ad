#!/usr/bin/env node
// Entry point that coding agents run before and after each tool call: `pawl hook HOST` without the rest of the CLI,
// because the agent waits for it every time. The installer writes it into the agent's settings with the path of the
// Node binary that runs it.
import module from 'node:module';
import { cacheFolder } from './cache-folder.js';

module.enableCompileCache?.(cacheFolder());
const { runHookProcess } = await import('@pawl/gateway/hook-process');
const problem = runHookProcess(process.argv.slice(2));
if (problem !== null) {
  const { sanitizeOneLine } = await import('../src/output/sanitize-text.ts');
  process.stderr.write(`pawl hook: ${sanitizeOneLine(problem)}\n`);
  process.exitCode = 1;
}
