import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What a bench prints as JSON when it is run for a short while, as a user runs it. */
export async function runQuickBench<Printed>(bench: URL): Promise<Printed> {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(bench), '--quick', '--json']);
  return JSON.parse(stdout) as Printed;
}
