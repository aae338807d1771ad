// `npm run build -w packages/cli` writes `dist/hook.cjs`, the bundle that coding agents run for every tool call.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildHookBundle, hookBundlePath } from './hook-bundle.ts';

mkdirSync(dirname(hookBundlePath), { recursive: true });
writeFileSync(hookBundlePath, await buildHookBundle());
