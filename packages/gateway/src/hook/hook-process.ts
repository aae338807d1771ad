import { readFileSync } from 'node:fs';
import { answerHook } from './answer-hook.ts';
import { hookHosts } from './hosts.ts';
import { getHooksFile, openHookStateStore } from './hook-state-store.ts';

export type HookProcessOptions = {
  /** The message may contain text of the host. */
  readonly onError: (message: string) => void;
};

/**
 * Answers one hook event: reads it from standard input, writes the answer to standard output and returns the exit code.
 * An error must not block the agent, so the exit code is then 1, which every host treats as a warning.
 */
export function runHookProcess(argv: readonly string[], { onError }: HookProcessOptions): number {
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
    onError(error instanceof Error ? error.message : String(error));
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
