#!/usr/bin/env node
// Entry point that coding agents run before and after each tool call: `pawl hook HOST` without the rest of the CLI,
// because the agent waits for it every time. The installer writes it into the agent's settings with the path of the
// Node binary that runs it.
import module from 'node:module';
import { cacheFolder } from './cache-folder.js';

module.enableCompileCache?.(cacheFolder());
const { runHookProcess } = await import('@pawl/gateway/hook-process');
const { sanitizeOneLine } = await import('../src/output/sanitize-text.ts');
process.exitCode = runHookProcess(process.argv.slice(2), {
  onError: (message) => process.stderr.write(`pawl hook: ${sanitizeOneLine(message)}\n`),
});
