import { text as readAll } from 'node:stream/consumers';
import { exitCodes, type ExitCode } from '../../exit-codes.ts';
import { answerHook } from '../../hook/answer-hook.ts';
import type { HookHost } from '../../hook/hook-event.ts';
import { hookHosts } from '../../hook/hosts.ts';
import { installHook, removeHook, type InstallHookFlags } from '../../hook/install.ts';
import { getHooksFile, openHookStateStore } from '../../hook/hook-state-store.ts';
import type { CommandIo } from '../../command-io.ts';
import { toUsageError } from '../../usage-error.ts';
import { parseWholeNumberOption } from '../../options/number-options.ts';
import { createUnknownNameError } from '../../options/parse-choice.ts';

export type HookFlags = { readonly maxToolCalls?: string | undefined };

/** Answers one hook event from standard input. Hosts run the smaller entry `pawl-hook.js`, which does the same. */
export async function runHook(name: string, flags: HookFlags, io: CommandIo): Promise<ExitCode> {
  const host = findHookHost(name);
  const callsMax = parseToolCallLimit(flags) ?? null;
  const states = openHookStateStore(getHooksFile(), Date.now);
  try {
    const answer = answerHook(host, await readAll(io.stdin), { states, now: Date.now, callsMax });
    io.stdout.write(answer);
    return exitCodes.finished;
  } catch (error) {
    throw toUsageError(error, TypeError);
  } finally {
    states.close();
  }
}

type HostHookFlags = Omit<InstallHookFlags, 'maxToolCalls'> & HookFlags;

export async function installHostHook(name: string, flags: HostHookFlags, io: CommandIo): Promise<ExitCode> {
  return installHook(findHookHost(name), { ...flags, maxToolCalls: parseToolCallLimit(flags) }, io);
}

export async function removeHostHook(
  name: string,
  { project, yes, json }: HostHookFlags,
  io: CommandIo,
): Promise<ExitCode> {
  return removeHook(findHookHost(name), { project, yes, json }, io);
}

function findHookHost(name: string): HookHost {
  const host = hookHosts.find((each) => each.name === name);
  if (host !== undefined) return host;
  throw createUnknownNameError(
    'host',
    name,
    hookHosts.map((each) => each.name),
  );
}

function parseToolCallLimit({ maxToolCalls }: HookFlags): number | undefined {
  return maxToolCalls === undefined ? undefined : parseWholeNumberOption('--max-tool-calls', maxToolCalls, 1);
}
