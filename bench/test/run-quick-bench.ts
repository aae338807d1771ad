import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Runs a benchmark with --quick --json, as a user would, and returns its output. */
export async function runQuickBench<Printed>(bench: URL): Promise<Printed> {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(bench), '--quick', '--json']);
  return JSON.parse(stdout) as Printed;
}
