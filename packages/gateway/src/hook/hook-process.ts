import { readFileSync, writeSync } from 'node:fs';
import { answerHook } from './answer-hook.ts';
import { hookHosts } from './hosts.ts';
import { interruptHost } from './interrupt-host.ts';
import { getHooksFile, openHookStateStore } from './hook-state.ts';

/**
 * Answers one hook event: reads it from standard input and writes the answer to standard output. Returns null, or an
 * error message, which may contain text of the host. The store stays open, so the process has to exit: closing it would
 * wait for the disk.
 */
export function runHookProcess(argv: readonly string[]): string | null {
  try {
    const { name, callsMax } = parseHookArguments(argv);
    const host = hookHosts.find((each) => each.name === name);
    if (host === undefined) {
      throw new TypeError(
        `There is no host ${JSON.stringify(name)}. There are: ${hookHosts.map((each) => each.name).join(', ')}.`,
      );
    }
    const states = openHookStateStore(getHooksFile(), Date.now);
    const answer = answerHook(host, readFileSync(0, 'utf8'), {
      states,
      now: Date.now,
      callsMax,
      interrupt: interruptHost,
    });
    // Loading `process.stdout` takes longer than answering.
    if (answer !== '') writeSync(1, answer);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
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
