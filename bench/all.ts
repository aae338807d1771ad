import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Every bench, each in a process of its own so that none inherits what the engine learnt from another. */
for (const bench of [
  'transition.ts',
  'governor.ts',
  'paging.ts',
  'durable.ts',
  'startup.ts',
  'hook.ts',
  'proxy.ts',
]) {
  const file = fileURLToPath(new URL(bench, import.meta.url));
  console.log(`\n${bench}\n`);
  const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = status ?? 1;
}
