#!/usr/bin/env node
// What coding agents run before and after each of their calls: `pawl hook HOST` without the rest of the command line, since
// somebody waits for it every time. It is written into their settings together with the Node that is to run it.
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

module.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pawl'));
const { main } = await import('../src/hook/main.ts');
process.exitCode = main(process.argv.slice(2));
