import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

/** The bundle that `bin/pawl-hook.cjs` runs. */
export const hookBundlePath = fileURLToPath(new URL('../dist/hook.cjs', import.meta.url));

/** Bundles the hook into one CommonJS file without types and returns its text. */
export async function buildHookBundle(): Promise<string> {
  const { output } = await build({
    cwd: packageFolder,
    input: 'src/hook-entry.ts',
    platform: 'node',
    write: false,
    output: { format: 'cjs', codeSplitting: false, minify: true, comments: false },
  });
  return output[0].code;
}
