import { text as readAll } from 'node:stream/consumers';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { answerHook } from '../hook/answer-hook.ts';
import type { Host } from '../hook/fact.ts';
import { hosts } from '../hook/hosts.ts';
import { installHook, removeHook, type InstallFlags } from '../hook/install.ts';
import { hooksFile, openMinds } from '../hook/minds.ts';
import type { Io } from '../io.ts';
import { asUsageError } from '../usage-error.ts';
import { wholeNumber } from './option-number.ts';
import { noSuch } from '../one-of.ts';

export type HookFlags = { readonly maxToolCalls?: string | undefined };

/** Answers one event that a host tells on standard input. Hosts run a smaller entry that does the same. */
export async function hook(name: string, flags: HookFlags, io: Io): Promise<ExitCode> {
  const host = hostNamed(name);
  const callsMax = limitIn(flags) ?? null;
  const minds = openMinds(hooksFile(), Date.now);
  try {
    const answer = answerHook(host, await readAll(io.stdin), { minds, now: Date.now, callsMax });
    io.stdout.write(answer);
    return exitCodes.finished;
  } catch (error) {
    throw asUsageError(error, TypeError);
  } finally {
    minds.close();
  }
}

type ChangeFlags = Omit<InstallFlags, 'maxToolCalls'> & HookFlags;

export async function install(name: string, flags: ChangeFlags, io: Io): Promise<ExitCode> {
  return installHook(hostNamed(name), { ...flags, maxToolCalls: limitIn(flags) }, io);
}

export async function remove(name: string, { project, yes, json }: ChangeFlags, io: Io): Promise<ExitCode> {
  return removeHook(hostNamed(name), { project, yes, json }, io);
}

function hostNamed(name: string): Host {
  const host = hosts.find((each) => each.name === name);
  if (host !== undefined) return host;
  throw noSuch(
    'host',
    name,
    hosts.map((each) => each.name),
  );
}

function limitIn({ maxToolCalls }: HookFlags): number | undefined {
  return maxToolCalls === undefined ? undefined : wholeNumber('--max-tool-calls', maxToolCalls, 1);
}
