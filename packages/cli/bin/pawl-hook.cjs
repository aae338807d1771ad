// Entry point that coding agents run before and after each tool call: `pawl hook HOST` as one bundled file without the
// rest of the CLI, because the agent waits for it every time. The installer writes it into the agent's settings with the
// path of the Node binary that runs it. CommonJS starts faster than a module.
const { enableCompileCache } = require('node:module');
const { cacheFolder } = require('./cache-folder.cjs');

enableCompileCache?.(cacheFolder());
const { runHookEntry } = require('../dist/hook.cjs');
runHookEntry(process.argv.slice(2));
