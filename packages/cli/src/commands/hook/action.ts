import { text as readAll } from 'node:stream/consumers';
import {
  answerHook,
  getHooksFile,
  hookHosts,
  HookInstallError,
  openHookStateStore,
  type HookHost,
} from '@pawl/gateway/hook';
import { exitCodes, type ExitCode, toUsageError } from '../../output/exit-codes.ts';
import { installHook, removeHook, type InstallHookFlags } from './install.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { parseWholeNumberOption, createUnknownNameError } from '../../options/parse-options.ts';

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
  const host = findHookHost(name);
  const maxToolCalls = parseToolCallLimit(flags);
  return withInstallUsageErrors(() => installHook(host, { ...flags, maxToolCalls }, io));
}

export async function removeHostHook(
  name: string,
  { project, yes, json }: HostHookFlags,
  io: CommandIo,
): Promise<ExitCode> {
  const host = findHookHost(name);
  return withInstallUsageErrors(() => removeHook(host, { project, yes, json }, io));
}

async function withInstallUsageErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toUsageError(error, HookInstallError);
  }
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
