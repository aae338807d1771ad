import { text as readAll } from 'node:stream/consumers';
import {
  answerHook,
  getHooksFile,
  hookHosts,
  HookInstallError,
  interruptHost,
  openHookStateStore,
  addHookEntries,
  buildHookCommand,
  createHookEntries,
  getSettingsPath,
  hasHookEntries,
  readHostSettings,
  removeHookEntries,
  writeHostSettings,
  type HookHost,
} from '@pawl/gateway/hook';
import { exitCodes, toUsageError, UsageError, type ExitCode } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { parseWholeNumberOption, createUnknownNameError } from '../../options/parse-options.ts';
import { fileURLToPath } from 'node:url';
import { resolve } from 'node:path';
import { askConfirmation, openTerminalPrompt } from '../../output/terminal-prompt.ts';
import { sanitizeText, sanitizeOneLine } from '../../output/sanitize-text.ts';

export type HookFlags = { readonly maxToolCalls?: string | undefined };

/** Answers one hook event from standard input. Hosts run the bundled entry `pawl-hook.cjs`, which does the same. */
export async function runHook(name: string, flags: HookFlags, io: CommandIo): Promise<ExitCode> {
  const host = findHookHost(name);
  const callsMax = parseToolCallLimit(flags) ?? null;
  const states = openHookStateStore(getHooksFile(), Date.now);
  try {
    const text = await readAll(io.stdin);
    const answer = answerHook(host, text, { states, now: Date.now, callsMax, interrupt: interruptHost });
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

type InstallHookFlags = {
  /** Install for one project instead of for the user. */
  readonly project?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly maxToolCalls?: number | undefined;
  /** Print the result as one JSON object. */
  readonly json?: boolean | undefined;
};

/** Shows what will be added to a host's settings, asks for confirmation, and adds it. */
async function installHook(host: HookHost, flags: InstallHookFlags, io: CommandIo): Promise<ExitCode> {
  const path = getHostSettingsPath(host, flags);
  const before = readHostSettings(path);
  const command = buildHostHookCommand(host.name, flags.maxToolCalls);
  const after = addHookEntries(before, host.name, command);
  if (JSON.stringify(after) === JSON.stringify(before)) {
    return reportHookChange(
      io,
      flags,
      { agent: host.name, path, changed: false },
      `${path} already has these hooks.`,
    );
  }
  const shown = JSON.stringify({ hooks: createHookEntries(host.name, command) }, null, 2);
  io.stderr.write(`To be added to ${sanitizeOneLine(path)}:\n${sanitizeText(shown)}\n`);
  if (!(await confirmHookChange(flags, io, 'Change the settings?'))) return reportUnchanged(io);
  writeHostSettings(path, after);
  const review =
    host.name === 'codex'
      ? ' Codex asks you to review new hooks before it runs them: /hooks shows them.'
      : '';
  const message = `${host.title} will be governed from its next session on.${review} To undo: pawl hook remove ${host.name}`;
  return reportHookChange(io, flags, { agent: host.name, path, changed: true }, message);
}

/** Removes only our entries from a host's settings. */
async function removeHook(host: HookHost, flags: InstallHookFlags, io: CommandIo): Promise<ExitCode> {
  const path = getHostSettingsPath(host, flags);
  const before = readHostSettings(path);
  if (!hasHookEntries(before, host.name)) {
    return reportHookChange(
      io,
      flags,
      { agent: host.name, path, changed: false },
      `${path} has no hooks of pawl.`,
    );
  }
  if (!(await confirmHookChange(flags, io, `Remove the hooks of pawl from ${sanitizeOneLine(path)}?`)))
    return reportUnchanged(io);
  writeHostSettings(path, removeHookEntries(before, host.name));
  return reportHookChange(
    io,
    flags,
    { agent: host.name, path, changed: true },
    `Removed the hooks of pawl from ${path}.`,
  );
}

type HookChange = { readonly agent: HookHost['name']; readonly path: string; readonly changed: boolean };

function reportHookChange(
  io: CommandIo,
  { json }: InstallHookFlags,
  data: HookChange,
  message: string,
): ExitCode {
  io.stdout.write(`${json === true ? JSON.stringify(data) : sanitizeOneLine(message)}\n`);
  return exitCodes.finished;
}

function getHostSettingsPath(host: HookHost, { project }: InstallHookFlags): string {
  return getSettingsPath(host.name, project === undefined ? null : resolve(project));
}

/** Uses absolute paths of this Node binary and of the entry file, because a host's PATH may not contain pawl. */
function buildHostHookCommand(host: HookHost['name'], maxToolCalls: number | undefined): string {
  const entry = fileURLToPath(new URL('../../../bin/pawl-hook.cjs', import.meta.url));
  const limit = maxToolCalls === undefined ? [] : ['--max-tool-calls', String(maxToolCalls)];
  return buildHookCommand(host, [process.execPath, entry], limit, process.platform);
}

async function confirmHookChange(
  { yes }: InstallHookFlags,
  io: CommandIo,
  question: string,
): Promise<boolean> {
  if (yes === true) return true;
  const terminal = openTerminalPrompt(io);
  if (terminal === null) {
    throw new UsageError('There is no terminal to confirm on. Use --yes to change the settings.');
  }
  return askConfirmation(terminal, question);
}

function reportUnchanged(io: CommandIo): ExitCode {
  io.stderr.write('Nothing was changed.\n');
  return exitCodes.finished;
}
