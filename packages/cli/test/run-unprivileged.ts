import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin/pawl.js', import.meta.url));

/** Runs pawl as a user whom file permissions apply to, even if the tests run as root. */
export async function runUnprivileged(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ code: number | null; out: string; err: string }> {
  // Another user may not be able to read this project, but root without its capabilities can.
  const [file = '', ...first] =
    process.getuid?.() === 0
      ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', process.execPath]
      : [process.execPath];
  const child = spawn(file, [...first, bin, ...args], { cwd: '/', env });
  const closed = new Promise<number | null>((resolve) => void child.on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await closed, out, err };
}
