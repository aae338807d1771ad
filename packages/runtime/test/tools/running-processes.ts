import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** How many processes of this machine have this text in their command line. */
export function countProcesses(text: string): number {
  return commandLines().filter((line) => line.includes(text)).length;
}

function commandLines(): readonly string[] {
  if (!existsSync('/proc/self/cmdline'))
    return execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).split('\n');
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      // It has ended meanwhile.
      return '';
    }
  });
}
