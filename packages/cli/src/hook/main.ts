import { readFileSync } from 'node:fs';
import { sanitizeOneLine } from '../output/sanitize-text.ts';
import { answerHook } from './answer-hook.ts';
import { hookHosts } from './hosts.ts';
import { getHooksFile, openHookStateStore } from './hook-state-store.ts';

/**
 * Runs `pawl hook HOST` for an entry point that loads nothing else. An error must not block the agent, so the exit code
 * is then 1, which every host treats as a warning.
 */
export function main(argv: readonly string[]): number {
  try {
    const { name, callsMax } = parseHookArguments(argv);
    const host = hookHosts.find((each) => each.name === name);
    if (host === undefined) {
      throw new TypeError(
        `There is no host ${JSON.stringify(name)}. There are: ${hookHosts.map((each) => each.name).join(', ')}.`,
      );
    }
    const states = openHookStateStore(getHooksFile(), Date.now);
    try {
      const answer = answerHook(host, readFileSync(0, 'utf8'), { states, now: Date.now, callsMax });
      process.stdout.write(answer);
    } finally {
      states.close();
    }
    return 0;
  } catch (error) {
    process.stderr.write(
      `pawl hook: ${sanitizeOneLine(error instanceof Error ? error.message : String(error))}\n`,
    );
    return 1;
  }
}

function parseHookArguments([name = '', flag, count]: readonly string[]): {
  name: string;
  callsMax: number | null;
} {
  if (flag === undefined) return { name, callsMax: null };
  const callsMax = Number(count);
  if (flag !== '--max-tool-calls' || !Number.isSafeInteger(callsMax) || callsMax < 1) {
    throw new TypeError('After the host, only --max-tool-calls and a whole number of at least 1 may follow.');
  }
  return { name, callsMax };
}
