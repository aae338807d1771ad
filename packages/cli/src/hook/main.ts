import { readFileSync } from 'node:fs';
import { visibleLine } from '../visible.ts';
import { answerHook } from './answer-hook.ts';
import { hosts } from './hosts.ts';
import { hooksFile, openMinds } from './minds.ts';

/**
 * The whole of `pawl hook HOST`, for an entry that loads nothing else. Whatever goes wrong here is no reason to keep an agent
 * from working: the exit code is then 1, which every host takes for a warning.
 */
export function main(argv: readonly string[]): number {
  try {
    const { name, callsMax } = readWords(argv);
    const host = hosts.find((each) => each.name === name);
    if (host === undefined) {
      throw new TypeError(
        `There is no host ${JSON.stringify(name)}. There are: ${hosts.map((each) => each.name).join(', ')}.`,
      );
    }
    const minds = openMinds(hooksFile(), Date.now);
    try {
      const answer = answerHook(host, readFileSync(0, 'utf8'), { minds, now: Date.now, callsMax });
      process.stdout.write(answer);
    } finally {
      minds.close();
    }
    return 0;
  } catch (error) {
    process.stderr.write(
      `pawl hook: ${visibleLine(error instanceof Error ? error.message : String(error))}\n`,
    );
    return 1;
  }
}

function readWords([name = '', flag, count]: readonly string[]): { name: string; callsMax: number | null } {
  if (flag === undefined) return { name, callsMax: null };
  const callsMax = Number(count);
  if (flag !== '--max-tool-calls' || !Number.isSafeInteger(callsMax) || callsMax < 1) {
    throw new TypeError('After the host, only --max-tool-calls and a whole number of at least 1 may follow.');
  }
  return { name, callsMax };
}
